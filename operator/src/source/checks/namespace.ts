import { type Fields, fieldsOf, listOf, textOf } from "../../lib/index.ts";
import { type Fault, invalid } from "./fault.ts";
import { qualifiedNameFaults } from "./names.ts";

const standardFinalizer = "kubernetes";

/** What Kubernetes asks of a Namespace beside its schema. */
export const namespaceFaults = ({ spec }: Fields): readonly Fault[] =>
  listOf(fieldsOf(spec)["finalizers"]).flatMap((finalizer) => {
    const name = textOf(finalizer);
    const faults = qualifiedNameFaults(name);
    const isStandard = name === standardFinalizer || name.includes("/");
    return [
      ...faults,
      ...(isStandard || faults.length > 0
        ? []
        : ["name is neither a standard finalizer name nor is it fully qualified"]),
    ].map((fault) => invalid(["spec", "finalizers"], name, fault));
  });

import type { HTTPFilter } from "@gatewright/crd-types/config/v1";
import { deepEqual, type Graph, type Table } from "../../lib/index.ts";
import type { ExtensionCheck, ExtensionProblem, Inputs } from "../inputs.ts";
import { refusalOf } from "../refs/index.ts";
import type { ClassView, FilterView } from "../views.ts";
import { type AllowList, type AllowLists, createAllowLists } from "./allow-lists.ts";
import { type Form, parseForm } from "./form.ts";

/** Every HTTPFilter, checked, whether a route takes it or not: its status says what became of it. */
export function createFilters(graph: Graph, inputs: Inputs, classes: Table<ClassView>): Table<FilterView> {
  const { store, quarantine, checkExtension } = inputs;
  const allowLists = createAllowLists(graph, classes);
  return graph.derive<FilterView>("filters", {
    keysOf: [store.objects.HTTPFilter],
    compute: (key) => {
      const filter = store.objects.HTTPFilter.get(key);
      if (filter === undefined) return undefined;
      const refusal = refusalOf(quarantine, "HTTPFilter", filter);
      if (refusal !== undefined) return invalid("Rejected", `Envoy refused the configuration: ${refusal}`);
      return translateFilter(filter, allowLists(), checkExtension);
    },
    equal: deepEqual,
  });
}

const invalid = (reason: string, message: string): FilterView => ({ kind: "invalid", reason, message });

function translateFilter({ spec }: HTTPFilter, [first, ...others]: AllowLists, check: ExtensionCheck): FilterView {
  const form = parseForm(spec);
  if (form.kind === "problem") return invalid("Invalid", form.message);
  const ask = ({ allowed }: AllowList) => check(form.spec, form.typed ? [form.spec.filter] : allowed);
  const verdict = ask(first);
  if (verdict.kind === "invalid") return explain(verdict.problems, form, others.length > 0 ? first.classes : []);
  for (const list of form.typed ? [] : others) {
    const other = ask(list);
    if (other.kind === "invalid") return explain(other.problems, form, list.classes);
  }
  return { kind: "valid", filter: form.spec.filter, scope: form.scope, config: verdict.config };
}

function explain(
  problems: readonly ExtensionProblem[],
  { authorsPath }: Extract<Form, { kind: "form" }>,
  classes: readonly string[],
): FilterView {
  const reason = problems.some((problem) => problem.reason === "NotAllowed") ? "NotAllowed" : "Invalid";
  const where = reason === "NotAllowed" && classes.length > 0 ? ` (GatewayClass ${classes.join(", ")})` : "";
  const words = problems.map(({ path, message }) => `spec.${authorsPath(path)}: ${message}`);
  return invalid(reason, words.join("; ") + where);
}

import type { ObjectMeta } from "@gatewright/crd-types/meta/v1";
import { type ApiServer, resourcePath } from "../../kubernetes/index.ts";
import { type DesiredObject, fieldOf } from "./apply-object.ts";
import { type Outcome, outcomeOf } from "./statuses-outcome.ts";

/** Whether the Gateway that is to own an object is still there. */
export type OwnerState =
  | { readonly kind: "there" }
  /** It, or the one that had its name, is being deleted: a watch is about to tell. */
  | { readonly kind: "going" }
  | Extract<Outcome, { readonly kind: "unavailable" }>;

/**
 * Asks the API server, since what a Gateway owns may be gone before a watch tells that the Gateway is: the garbage collector deletes
 * it, and what would be made again would have to be deleted once more.
 */
export async function ownerState(api: ApiServer, { metadata }: DesiredObject): Promise<OwnerState> {
  const { namespace, ownerReferences }: ObjectMeta = metadata;
  const owner = ownerReferences?.find(({ kind }) => kind === "Gateway");
  if (owner === undefined || namespace === undefined) return { kind: "there" };
  const [group = "", version = ""] = owner.apiVersion.split("/");
  const path = resourcePath({ group, version, plural: "gateways", namespace, name: owner.name });
  const outcome = await outcomeOf(api.request({ method: "GET", path }));
  switch (outcome.kind) {
    case "done": {
      const found = fieldOf(outcome.object, "metadata");
      const isIt = fieldOf(found, "uid") === owner.uid && fieldOf(found, "deletionTimestamp") === undefined;
      return { kind: isIt ? "there" : "going" };
    }
    case "gone":
      return { kind: "going" };
    case "unavailable":
      return outcome;
    // Who may not look, or finds the server at odds with this object, goes by what was read last.
    default:
      return { kind: "there" };
  }
}

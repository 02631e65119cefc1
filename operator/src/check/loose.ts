import { createLooseEnds } from "../overview/index.ts";
import type { Change, StoredKind } from "../store/index.ts";
import { missingIn, type Reporter } from "./reporter.ts";

export type LooseOptions = {
  readonly reporter: Reporter;
  readonly controllerName: string;
  readonly isWritten: (kind: StoredKind, key: string) => boolean;
};

/** Tells what is valid and leads nowhere. */
export function tellLooseEnds(changes: readonly Change[], { reporter, controllerName, isWritten }: LooseOptions): void {
  const looseEnds = createLooseEnds(controllerName, () => undefined);
  looseEnds.apply(changes);
  for (const { object = "", field = "", message } of looseEnds.problems()) {
    const [kind = "", key = ""] = object.split(" ");
    // A cluster makes EndpointSlices by itself.
    if (kind === "Service") continue;
    const missing = missingIn(message);
    if (missing === undefined) reporter.tell({ kind, key, field, message, rule: "no-effect", severity: "warning" });
    else if (!isWritten(missing.kind, missing.key)) reporter.tellReason({ kind, key, field, message, reason: "" });
  }
}

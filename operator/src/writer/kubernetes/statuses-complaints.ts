import type { Logger } from "../../lib/index.ts";
import type { Outcome } from "./statuses-outcome.ts";

export type StatusResource = {
  readonly kind: string;
  readonly key: string;
  readonly group: string;
  readonly plural: string;
};

/** Says each trouble once, however often it is met, and when it is over. */
export type Complaints = {
  readonly failed: (resource: StatusResource, outcome: Outcome) => void;
  readonly written: (resource: StatusResource) => void;
  /** The object is gone. */
  readonly forget: (resource: Pick<StatusResource, "kind" | "key">) => void;
  /** The server took a status and left out these fields of it. */
  readonly notKept: (kind: string, fields: readonly string[]) => void;
};

export function createComplaints(logger: Logger): Complaints {
  /** What was said and is not over yet, with the objects that it is true of. */
  const said = new Map<string, Set<string>>();

  function once(scope: string, key: string, say: () => void): void {
    const keys = said.get(scope);
    if (keys !== undefined) {
      keys.add(key);
      return;
    }
    said.set(scope, new Set([key]));
    say();
  }

  /** It is over when it is so for the last of the objects. */
  function over(scope: string, key: string, say: () => void = () => undefined): void {
    const keys = said.get(scope);
    if (keys?.delete(key) !== true || keys.size > 0) return;
    said.delete(scope);
    say();
  }

  const scopesOf = ({ kind, key }: Pick<StatusResource, "kind" | "key">) => ({
    forbidden: `may not write ${kind}`,
    failed: `cannot write ${kind}`,
    refused: `refused ${kind} ${key}`,
  });

  return {
    failed: (resource, outcome) => {
      const { kind, key, group, plural } = resource;
      const scopes = scopesOf(resource);
      switch (outcome.kind) {
        case "unavailable":
          once(server, server, () => logger.warn({ err: outcome.message }, "statuses cannot be written; trying again"));
          break;
        // What is forbidden for one is forbidden for all: ten thousand routes are worth one line.
        case "forbidden":
          once(scopes.forbidden, key, () =>
            logger.error(
              { kind, key, err: outcome.message },
              `statuses of ${kind} may not be written: a ClusterRole must allow patch on ${plural}/status and get on ${plural} in ${group}; trying again`,
            ),
          );
          break;
        case "failed":
          once(scopes.failed, key, () =>
            logger.warn({ kind, key, err: outcome.message }, `a status of ${kind} could not be written; trying again`),
          );
          break;
        case "refused":
          once(scopes.refused, key, () =>
            logger.error(
              { kind, key, err: outcome.message },
              `the API server refuses the status of ${kind} ${key}; trying again`,
            ),
          );
          break;
        case "done":
        case "conflict":
        case "gone":
      }
    },
    notKept: (kind, fields) =>
      once(`fields ${kind} ${fields.join(" ")}`, "", () =>
        logger.warn(
          { kind, fields },
          `the cluster does not keep all of status.${fields.join(", status.")} of ${kind}: its CRD is older than ours`,
        ),
      ),
    written: (resource) => {
      const { kind, key } = resource;
      const scopes = scopesOf(resource);
      over(server, server, () => logger.info({}, "statuses are written again"));
      for (const scope of [scopes.forbidden, scopes.failed])
        over(scope, key, () => logger.info({ kind }, `statuses of ${kind} are written again`));
      over(scopes.refused, key, () => logger.info({ kind, key }, `the status of ${kind} ${key} is written`));
    },
    forget: (resource) => {
      for (const scope of Object.values(scopesOf(resource))) over(scope, resource.key);
    },
  };
}

const server = "server";

import type { Logger } from "../lib/index.ts";
import type { Change } from "../store/index.ts";

export type KeptClassesOptions = {
  readonly controllerName: string;
  readonly logger: Logger;
};

/**
 * Holds back that a class of ours is gone while Gateways name it. `controllerName` of a class cannot be changed, so that people delete
 * classes to make them anew, and some by mistake: that is not to cost all Gateways their traffic and their addresses. Returns the
 * changes to go by.
 */
export function createKeptClasses({
  controllerName,
  logger,
}: KeptClassesOptions): (changes: readonly Change[]) => Change[] {
  /** The class of each Gateway. */
  const named = new Map<string, string>();
  const own = new Set<string>();
  const kept = new Set<string>();
  const isNamed = (name: string): boolean => [...named.values()].includes(name);

  function passes(change: Change): boolean {
    if (change.kind !== "GatewayClass") return true;
    const { key: name, object } = change;
    if (object !== undefined) {
      if (kept.delete(name)) logger.info({ gatewayClass: name }, "the GatewayClass is back");
      if (object.spec.controllerName === controllerName) own.add(name);
      else own.delete(name);
      return true;
    }
    if (own.has(name) && isNamed(name)) {
      kept.add(name);
      logger.warn(
        { gatewayClass: name },
        "the GatewayClass is gone, and Gateways name it: they are served as if it were there",
      );
      return false;
    }
    own.delete(name);
    return true;
  }

  return (changes) => {
    for (const change of changes) {
      if (change.kind !== "Gateway") continue;
      if (change.object === undefined) named.delete(change.key);
      else named.set(change.key, change.object.spec.gatewayClassName);
    }
    const passed = changes.filter(passes);
    const released = [...kept].filter((name) => !isNamed(name));
    for (const name of released) {
      kept.delete(name);
      own.delete(name);
    }
    return [...passed, ...released.map((key): Change => ({ kind: "GatewayClass", key, object: undefined }))];
  };
}

import type { GatewayClass } from "@gatewright/crd-types/gateway/v1";
import type { Change } from "../store/index.ts";

/**
 * A GatewayClass that is there though no file has it: a folder with a Gateway and routes is then complete. A file with a class
 * of that name takes its place while it is there.
 */
export function withDefaultClass(name: string, controllerName: string) {
  const object: GatewayClass = {
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "GatewayClass",
    metadata: { name, generation: 1 },
    spec: { controllerName },
  };
  const change: Change = { kind: "GatewayClass", key: name, object };
  return {
    initial: change,
    apply: (changes: readonly Change[]): readonly Change[] =>
      changes.map((each) =>
        each.kind === "GatewayClass" && each.key === name && each.object === undefined ? change : each,
      ),
  };
}

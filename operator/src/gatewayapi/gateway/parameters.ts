import type { MeshConfig } from "@gatewright/crd-types/config/v1";
import type { Gateway } from "@gatewright/crd-types/gateway/v1";
import type { ProxyDeployment } from "../../ir/index.ts";
import { deepEqual, type Graph, type Table } from "../../lib/index.ts";
import { objectKey, storedKinds } from "../../store/index.ts";
import type { Inputs } from "../inputs.ts";
import { meshConfigProblem } from "../mesh-config.ts";
import { formatKind } from "../messages.ts";

/** What the `spec.infrastructure.parametersRef` of a Gateway comes to. */
export type GatewayParameters =
  | { readonly kind: "valid"; readonly deployment: ProxyDeployment }
  | { readonly kind: "invalid"; readonly message: string };

/** The parameters of each Gateway that names some, by Gateway key. */
export function createParameters(
  graph: Graph,
  { store, settings }: Inputs,
  own: Table<Gateway>,
): Table<GatewayParameters> {
  const { MeshConfig } = store.objects;
  return graph.derive<GatewayParameters>("gatewayParameters", {
    keysOf: [own],
    compute: (key) => {
      const gateway = own.get(key);
      return gateway && resolveParameters(gateway, settings.rootNamespace, MeshConfig);
    },
    equal: deepEqual,
  });
}

const invalid = (message: string): GatewayParameters => ({
  kind: "invalid",
  message: `spec.infrastructure.parametersRef: ${message}`,
});

function resolveParameters(
  { metadata, spec }: Gateway,
  rootNamespace: string,
  meshConfigs: Table<MeshConfig>,
): GatewayParameters | undefined {
  const ref = spec.infrastructure?.parametersRef;
  if (ref === undefined) return undefined;
  const { group } = storedKinds.MeshConfig;
  if (ref.group !== group || ref.kind !== "MeshConfig")
    return invalid(`kind ${formatKind(ref)} is not supported; ${group}/MeshConfig is`);
  const key = objectKey(metadata.namespace ?? "", ref.name);
  const mesh = meshConfigs.get(key);
  if (mesh === undefined) return invalid(`MeshConfig ${key} does not exist`);
  const problem = meshConfigProblem(mesh, rootNamespace);
  if (problem !== undefined) return invalid(`MeshConfig ${key}: ${problem}`);
  return { kind: "valid", deployment: deploymentOf(mesh) };
}

/** What a MeshConfig says of the deployment of proxies. */
export function deploymentOf(mesh: MeshConfig | undefined): ProxyDeployment {
  const { resources, ...rest } = mesh?.spec?.proxy ?? {};
  if (resources === undefined) return rest;
  const { requests, limits } = resources;
  return {
    ...rest,
    resources: { ...(requests && { requests: quantities(requests) }), ...(limits && { limits: quantities(limits) }) },
  };
}

/** A quantity may be written as a number: `cpu: 2`. */
const quantities = (amounts: Readonly<Record<string, string | number>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, String(amount)]));

import type { MeshConfig } from "@gatewright/crd-types/config/v1";
import {
  type GatewayClass,
  GatewayClassConditionStatusAccepted,
  GatewayClassConditionStatusSupportedVersion,
  GatewayClassReasonAccepted,
  GatewayClassReasonInvalidParameters,
  GatewayClassReasonSupportedVersion,
} from "@gatewright/crd-types/gateway/v1";
import { deepEqual, type Graph, type Table } from "../lib/index.ts";
import { keyOf, objectKey, storedKinds } from "../store/index.ts";
import { isFalse, isTrue } from "./conditions.ts";
import type { Inputs, Refusal } from "./inputs.ts";
import { effectivePart, meshConfigProblem, neglectedPart } from "./mesh-config.ts";
import { formatKind } from "./messages.ts";
import type { ClassView } from "./views.ts";

/** The release whose types and rules this is made from. */
const gatewayApiVersion = "v1.7.0";

/** The GatewayClasses that name us as their controller, by name. */
export function createClasses(graph: Graph, { store, settings, quarantine, inEffect }: Inputs): Table<ClassView> {
  const { GatewayClass, MeshConfig } = store.objects;
  return graph.derive<ClassView>("classes", {
    keysOf: [GatewayClass],
    compute: (name) => {
      const gatewayClass = GatewayClass.get(name);
      if (gatewayClass?.spec.controllerName !== settings.controllerName) return undefined;
      const parameters = resolveParameters(gatewayClass.spec.parametersRef, settings.rootNamespace, MeshConfig);
      return parameters.kind === "invalid"
        ? viewInvalid(parameters.message, inEffect?.classes.get(name))
        : viewClass(parameters, quarantine);
    },
    equal: deepEqual,
  });
}

type GoodParameters = { readonly kind: "none" } | { readonly kind: "mesh"; readonly mesh: MeshConfig };
type Parameters = GoodParameters | { readonly kind: "invalid"; readonly message: string };

const invalid = (message: string): Parameters => ({ kind: "invalid", message: `spec.parametersRef: ${message}` });

function resolveParameters(
  ref: GatewayClass["spec"]["parametersRef"],
  rootNamespace: string,
  meshConfigs: Table<MeshConfig>,
): Parameters {
  if (ref === undefined) return { kind: "none" };
  const { group, kind, name, namespace } = ref;
  if (group !== storedKinds.MeshConfig.group || kind !== "MeshConfig")
    return invalid(`kind ${formatKind(ref)} is not supported; ${storedKinds.MeshConfig.group}/MeshConfig is`);
  if (namespace !== rootNamespace) return invalid(`namespace must be ${rootNamespace}`);
  const mesh = meshConfigs.get(objectKey(namespace, name));
  if (mesh === undefined) return invalid(`MeshConfig ${namespace}/${name} does not exist`);
  const problem = meshConfigProblem(mesh, rootNamespace);
  return problem === undefined ? { kind: "mesh", mesh } : invalid(`MeshConfig ${namespace}/${name}: ${problem}`);
}

const version = isTrue(
  GatewayClassConditionStatusSupportedVersion,
  GatewayClassReasonSupportedVersion,
  `Gateway API ${gatewayApiVersion}`,
);

function viewInvalid(problem: string, before: { readonly mesh?: MeshConfig } | undefined): ClassView {
  const message =
    before === undefined ? problem : `${problem}; Gateways that are served go on with what was in effect before`;
  const refused = isFalse(GatewayClassConditionStatusAccepted, {
    reason: GatewayClassReasonInvalidParameters,
    message,
  });
  return { conditions: [refused, version], accepted: false, isInEffect: before !== undefined, ...before };
}

function viewClass(parameters: GoodParameters, quarantine: Table<Refusal>): ClassView {
  const { mesh } = parameters.kind === "mesh" ? parameters : {};
  const neglected = mesh && neglectedPart(mesh, quarantine);
  const message = mesh && neglected && `MeshConfig ${keyOf(mesh)}: ${neglected}`;
  return {
    conditions: [isTrue(GatewayClassConditionStatusAccepted, GatewayClassReasonAccepted, message), version],
    accepted: true,
    isInEffect: true,
    ...(mesh && { mesh: effectivePart(mesh, quarantine) }),
  };
}

export {
  type ExtensionCheck,
  type ExtensionProblem,
  type ExtensionSpec,
  type Inputs,
  parseQuarantineKey,
  type Placement,
  proxyKeyOf,
  type ProxyState,
  quarantineKey,
  type Refusal,
  type Settings,
} from "./inputs.ts";
export type { DesiredCondition, DesiredStatus } from "./views.ts";

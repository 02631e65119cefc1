export {
  contentOf,
  type ExtensionCheck,
  type ExtensionProblem,
  type ExtensionSpec,
  type InEffect,
  type Inputs,
  parseQuarantineKey,
  type PlacedAddress,
  type Placement,
  proxyKeyOf,
  type ProxyState,
  quarantineKey,
  type Refusal,
  type Settings,
  type Unavailability,
} from "./inputs.ts";
export { addressRequest, assumedAddresses } from "./gateway/index.ts";
export { parseRouteKey, routeKey, type RouteKindName } from "./route-objects.ts";
export { statusKey } from "./status/index.ts";
export { createTranslation, type Translation } from "./translate.ts";
export type {
  AttachmentView,
  DesiredCondition,
  DesiredStatus,
  FilterView,
  GatewayView,
  ListenerView,
  ParentView,
  RankedRoute,
  RulesView,
} from "./views.ts";

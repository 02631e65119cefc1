import { type Policy, PermissionSchema, PolicySchema } from "@gatewright/crd-types/proto/envoy/config/rbac/v3/rbac_pb";
import { checkEach, type MessageCheck, type Report } from "./visit.ts";

const maxPort = 65_536;

/** https://www.envoyproxy.io/docs/envoy/v1.40.0/configuration/http/http_filters/rbac_filter */
export const rbacChecks: readonly MessageCheck[] = [
  checkEach(PermissionSchema, ({ rule }, report) => {
    if (rule.case !== "destinationPortRange") return;
    const { start, end } = rule.value;
    if (start < 0 || start > maxPort) report(["destination_port_range"], `start ${start} is out of bounds`);
    if (end < 0 || end > maxPort) report(["destination_port_range"], `end ${end} is out of bounds`);
    if (start >= end) report(["destination_port_range"], `start ${start} must be less than end ${end}`);
  }),
  checkEach(PolicySchema, checkPolicy),
];

/** Conditions are programs in CEL, which only Envoy can check. */
function checkPolicy({ condition, checkedCondition, celConfig }: Policy, report: Report) {
  const message = "is not supported; say it with permissions and principals";
  if (condition !== undefined) report(["condition"], message, "NotSupported");
  if (checkedCondition !== undefined) report(["checked_condition"], message, "NotSupported");
  if (celConfig !== undefined) report(["cel_config"], message, "NotSupported");
}

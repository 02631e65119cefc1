import type { Service } from "@gatewright/crd-types/core/v1";
import type { BackendTLSPolicy } from "@gatewright/crd-types/gateway/v1";
import { objectKey } from "../../store/index.ts";

// A target is a Service, or one of its ports by name: `namespace/name|port`, nothing after the bar for the whole Service.

export const targetKey = (service: string, portName: string): string => `${service}|${portName}`;

export const serviceOf = (target: string): string => target.slice(0, target.indexOf("|"));

const portOf = (target: string): string => target.slice(target.indexOf("|") + 1);

export const formatTarget = (target: string): string => target.replace("|", " ").trimEnd();

/** Targets of other kinds are not ours to serve. */
export const targetsOf = ({ metadata: { namespace = "" }, spec }: BackendTLSPolicy): readonly string[] =>
  spec.targetRefs
    .filter(({ group, kind }) => group === "" && kind === "Service")
    .map(({ name, sectionName = "" }) => targetKey(objectKey(namespace, name), sectionName));

/** Why a policy cannot attach to a target; undefined: it can. */
export function targetProblem(target: string, service: Service | undefined): string | undefined {
  if (service === undefined) return `Service ${serviceOf(target)} does not exist`;
  const port = portOf(target);
  return port === "" || service.spec?.ports?.some(({ name }) => name === port)
    ? undefined
    : `Service ${serviceOf(target)} has no port named ${port}`;
}

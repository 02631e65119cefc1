import type { MeshConfig } from "@gatewright/crd-types/config/v1";

/** What is wrong with a MeshConfig, in words; undefined: nothing. */
export function meshConfigProblem({ metadata, spec }: MeshConfig, rootNamespace: string): string | undefined {
  if (metadata.namespace !== rootNamespace)
    return `only a MeshConfig in namespace ${rootNamespace} has an effect, not one in ${metadata.namespace}`;
  const accessLog = spec?.telemetry?.accessLog;
  return accessLog?.format !== undefined && accessLog.json !== undefined
    ? "spec.telemetry.accessLog: at most one of format and json can be given"
    : undefined;
}

import type { MeshConfig } from "@gatewright/crd-types/config/v1";
import { formatProblem, type Table } from "../lib/index.ts";
import type { Refusal } from "./inputs.ts";
import { listed } from "./messages.ts";
import { refusalOf } from "./refs/index.ts";

/**
 * Why a MeshConfig as a whole has no effect, in words; undefined: it has. Outside of the root namespace one may say how the proxies of
 * Gateways that name it are deployed, and nothing that reaches others.
 */
export function meshConfigProblem({ metadata, spec = {} }: MeshConfig, rootNamespace: string): string | undefined {
  if (metadata.namespace === rootNamespace) return undefined;
  const beyond = Object.keys(spec).filter((field) => field !== "proxy");
  return beyond.length === 0
    ? undefined
    : `a MeshConfig outside of namespace ${rootNamespace} may hold spec.proxy only, not ${listed(beyond.map((field) => `spec.${field}`))}`;
}

/**
 * What is wrong with the format of the access log, in words. Envoy refuses a listener for one bad command, and all listeners of the
 * class have this log: so they get the default format, and everything else that the MeshConfig says holds.
 */
export function accessLogProblem({ spec }: MeshConfig): string | undefined {
  const { format, json } = spec?.telemetry?.accessLog ?? {};
  const field = "spec.telemetry.accessLog";
  if (format !== undefined && json !== undefined) return `${field}: at most one of format and json can be given`;
  const texts: readonly (readonly [path: string, text: string])[] = [
    ...(format === undefined ? [] : [["format", format] as const]),
    ...Object.entries(json ?? {}).map(([name, text]) => [`json[${JSON.stringify(name)}]`, text] as const),
  ];
  for (const [path, text] of texts) {
    const problem = formatProblem(text, "log");
    if (problem !== undefined) return `${field}.${path}: ${problem.message}`;
  }
  return undefined;
}

/** What of a MeshConfig is done: a path to which Envoy cannot write counts as if it were not stated. */
export function effectivePart(mesh: MeshConfig, quarantine: Table<Refusal>): MeshConfig {
  const { spec } = mesh;
  if (spec?.telemetry?.accessLog === undefined || refusalOf(quarantine, "MeshConfig", mesh) === undefined) return mesh;
  const { path: _, ...accessLog } = spec.telemetry.accessLog;
  return { ...mesh, spec: { ...spec, telemetry: { ...spec.telemetry, accessLog } } };
}

/** What a MeshConfig says that is not done, though the rest of it is: in words; undefined: all is. */
export function neglectedPart(mesh: MeshConfig, quarantine: Table<Refusal>): string | undefined {
  const problem = accessLogProblem(mesh);
  if (problem !== undefined) return `${problem}; the default format is used`;
  const refusal = refusalOf(quarantine, "MeshConfig", mesh);
  return refusal && `spec.telemetry.accessLog.path: ${refusal}; requests are logged to the standard output`;
}

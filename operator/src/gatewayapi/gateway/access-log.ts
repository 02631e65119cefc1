import type { MeshConfig } from "@gatewright/crd-types/config/v1";
import type { AccessLog } from "../../ir/index.ts";
import type { Settings } from "../inputs.ts";
import { accessLogProblem } from "../mesh-config.ts";

const defaultPath = "/dev/stdout";

/** Where Envoys log requests: as the class's MeshConfig says, else as the settings say, else nowhere. */
export function accessLogOf(mesh: MeshConfig | undefined, { accessLogPath }: Settings): AccessLog | undefined {
  const stated = mesh?.spec?.telemetry?.accessLog;
  if (mesh === undefined || stated === undefined)
    return accessLogPath === undefined ? undefined : { path: accessLogPath };
  const { path = defaultPath } = stated;
  const { format, json } = accessLogProblem(mesh) === undefined ? stated : {};
  return {
    path: path === defaultPath ? "stdout" : path,
    ...(format !== undefined && { format: `${format}\n` }),
    ...(json !== undefined && { json }),
    origin: { kind: "MeshConfig", namespace: mesh.metadata.namespace ?? "", name: mesh.metadata.name ?? "" },
  };
}

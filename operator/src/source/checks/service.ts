import { isIPv6 } from "node:net";
import type { Path } from "@gatewright/crd-types/schema";
import { type Fields, fieldsOf, listOf, textOf } from "../../lib/index.ts";
import { addressFaults, specialFaults } from "./addresses.ts";
import { duplicate, type Fault, forbidden, invalid, required, unsupported } from "./fault.ts";
import { labelProblems } from "./metadata.ts";
import { labelFaults, portNameFaults, portNumberFaults, qualifiedNameFaults, subdomainFaults } from "./names.ts";
import { protocols } from "./protocols.ts";

const types = ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];
const affinities = ["ClientIP", "None"];
const families = ["IPv4", "IPv6"];
const familyPolicies = ["PreferDualStack", "RequireDualStack", "SingleStack"];
const trafficPolicies = ["Cluster", "Local"];

/** What the API server asks of a Service beyond its schema, as far as it does not hang on what the cluster gives it. */
export function serviceFaults(service: Fields): readonly Fault[] {
  const spec = fieldsOf(service["spec"]);
  const type = textOf(spec["type"]) || "ClusterIP";
  return [
    ...portFaults(spec, type),
    ...typeFaults(spec, type),
    ...choice(spec, "type", types),
    ...choice(spec, "sessionAffinity", affinities),
    ...choice(spec, "ipFamilyPolicy", familyPolicies),
    ...choice(spec, "internalTrafficPolicy", trafficPolicies),
    ...choice(spec, "externalTrafficPolicy", trafficPolicies),
    ...labelProblems(fieldsOf(spec["selector"]), ["spec", "selector"]),
    ...clusterIpFaults(spec, type),
    ...externalIpFaults(spec),
  ];
}

function choice(spec: Fields, field: string, supported: readonly string[]): readonly Fault[] {
  const value = spec[field];
  return typeof value !== "string" || value === "" || supported.includes(value)
    ? []
    : [unsupported(["spec", field], value, supported)];
}

const isHeadless = ({ clusterIP, clusterIPs }: Fields): boolean =>
  clusterIP === "None" || listOf(clusterIPs)[0] === "None";

function typeFaults(spec: Fields, type: string): readonly Fault[] {
  if (type === "ExternalName") return externalNameFaults(spec);
  if (isHeadless(spec) && (type === "LoadBalancer" || type === "NodePort"))
    return [invalid(["spec", "clusterIPs", 0], "None", `may not be set to 'None' for ${type} services`)];
  return [];
}

function externalNameFaults(spec: Fields): readonly Fault[] {
  const path = ["spec", "externalName"];
  const name = textOf(spec["externalName"]).replace(/\.$/, "");
  const isSet = listOf(spec["clusterIPs"]).length > 0 || !["", "None"].includes(textOf(spec["clusterIP"]));
  return [
    ...(isSet ? [forbidden(["spec", "clusterIPs"], "may not be set for ExternalName services")] : []),
    ...(name === "" ? [required(path)] : subdomainFaults(name).map((fault) => invalid(path, name, fault))),
  ];
}

function portFaults(spec: Fields, type: string): readonly Fault[] {
  const ports = listOf(spec["ports"]).map(fieldsOf);
  if (ports.length === 0) return isHeadless(spec) || type === "ExternalName" ? [] : [required(["spec", "ports"])];
  const names = new Set<string>();
  const numbers = new Set<string>();
  const nodePorts = new Set<string>();
  return ports.flatMap((port, index) => {
    const path: Path = ["spec", "ports", index];
    const protocol = textOf(port["protocol"]) || "TCP";
    return [
      ...nameFaults(textOf(port["name"]), ports.length > 1, names, [...path, "name"]),
      ...onePortFaults(port, path),
      ...(takes(numbers, `${protocol} ${String(port["port"])}`)
        ? []
        : [duplicate(path, { port: port["port"], protocol })]),
      ...nodePortFaults(port, protocol, type, nodePorts, [...path, "nodePort"]),
    ];
  });
}

function nameFaults(name: string, isNeeded: boolean, names: Set<string>, path: Path): readonly Fault[] {
  if (name === "") return isNeeded ? [required(path)] : [];
  return [
    ...labelFaults(name).map((fault) => invalid(path, name, fault)),
    ...(takes(names, name) ? [] : [duplicate(path, name)]),
  ];
}

function onePortFaults({ port, protocol, targetPort, appProtocol }: Fields, path: Path): readonly Fault[] {
  const target =
    // Nothing is the port itself.
    targetPort === 0 || targetPort === ""
      ? []
      : typeof targetPort === "number"
        ? portNumberFaults(targetPort)
        : typeof targetPort === "string"
          ? portNameFaults(targetPort)
          : [];
  return [
    ...portNumberFaults(typeof port === "number" ? port : 0).map((fault) => invalid([...path, "port"], port, fault)),
    ...(typeof protocol !== "string" || protocol === "" || protocols.includes(protocol)
      ? []
      : [unsupported([...path, "protocol"], protocol, protocols)]),
    ...target.map((fault) => invalid([...path, "targetPort"], targetPort, fault)),
    ...(typeof appProtocol === "string"
      ? qualifiedNameFaults(appProtocol).map((fault) => invalid([...path, "appProtocol"], appProtocol, fault))
      : []),
  ];
}

function nodePortFaults(
  { nodePort }: Fields,
  protocol: string,
  type: string,
  seen: Set<string>,
  path: Path,
): readonly Fault[] {
  if (typeof nodePort !== "number" || nodePort === 0) return [];
  return [
    ...(type === "ClusterIP" ? [forbidden(path, "may not be used when `type` is 'ClusterIP'")] : []),
    ...(takes(seen, `${protocol} ${nodePort}`) ? [] : [duplicate(path, nodePort)]),
  ];
}

/** Adds to a set; false where it was there. */
function takes(set: Set<string>, value: string): boolean {
  const isNew = !set.has(value);
  set.add(value);
  return isNew;
}

function clusterIpFaults(spec: Fields, type: string): readonly Fault[] {
  if (type === "ExternalName") return [];
  const path = ["spec", "clusterIPs"];
  const first = textOf(spec["clusterIP"]);
  const list = listOf(spec["clusterIPs"]).map(textOf);
  const all = list.length > 0 ? list : first === "" ? [] : [first];
  if (first !== "" && list.length > 0 && list[0] !== first)
    return [invalid(path, list, "first value must match `clusterIP`")];
  if (all[0] === "None") return all.length > 1 ? [invalid(path, all, "'None' must be the first and only value")] : [];
  const wrong = all.flatMap((address, index) => addressFaults(address, [...path, index]));
  if (wrong.length > 0) return wrong;
  if (all.length > 2) return [invalid(path, all, "may only hold up to 2 values")];
  if (all.length === 2 && isIPv6(all[0] ?? "") === isIPv6(all[1] ?? ""))
    return [invalid(path, all, "may specify no more than one IP for each IP family")];
  return listOf(spec["ipFamilies"]).flatMap((family, index) =>
    families.includes(textOf(family)) ? [] : [unsupported(["spec", "ipFamilies", index], family, families)],
  );
}

const externalIpFaults = (spec: Fields): readonly Fault[] =>
  listOf(spec["externalIPs"]).flatMap((entry, index) => {
    const path = ["spec", "externalIPs", index];
    const address = textOf(entry);
    const faults = addressFaults(address, path);
    return faults.length > 0 ? faults : specialFaults(address, path);
  });

import type { Path } from "@gatewright/crd-types/schema";
import { type Fields, fieldsOf, listOf, textOf } from "../../lib/index.ts";
import { endpointAddressFaults } from "./addresses.ts";
import { duplicate, type Fault, invalid, required, tooMany, unsupported } from "./fault.ts";
import { labelFaults, labelValueFaults, portNumberFaults, qualifiedNameFaults, subdomainFaults } from "./names.ts";
import { protocols } from "./protocols.ts";

const addressTypes = ["FQDN", "IPv4", "IPv6"];
const maxEndpoints = 1000;
const maxAddresses = 100;

/** What the API server asks of an EndpointSlice beyond its schema. */
export function endpointSliceFaults({ addressType, ports, endpoints }: Fields): readonly Fault[] {
  return [
    ...(textOf(addressType) === ""
      ? [required(["addressType"])]
      : addressTypes.includes(textOf(addressType))
        ? []
        : [unsupported(["addressType"], addressType, addressTypes)]),
    ...portFaults(listOf(ports)),
    ...(listOf(endpoints).length > maxEndpoints
      ? [tooMany(["endpoints"], listOf(endpoints).length, maxEndpoints)]
      : listOf(endpoints).flatMap((endpoint, index) =>
          endpointFaults(addressType, fieldsOf(endpoint), ["endpoints", index]),
        )),
  ];
}

function portFaults(ports: readonly unknown[]): readonly Fault[] {
  const names = new Set<string>();
  return ports.flatMap((entry, index) => {
    const { name, port, protocol, appProtocol } = fieldsOf(entry);
    const path: Path = ["ports", index];
    const known = textOf(name);
    const isRepeated = names.has(known);
    names.add(known);
    return [
      ...(known === "" ? [] : labelFaults(known).map((fault) => invalid([...path, "name"], known, fault))),
      ...(isRepeated ? [duplicate([...path, "name"], known)] : []),
      // The API server lets such a port pass; nothing can be sent to it.
      ...(typeof port === "number"
        ? portNumberFaults(port).map((fault) => ({ ...invalid([...path, "port"], port, fault), isWarning: true }))
        : []),
      ...(protocol === undefined || protocols.includes(textOf(protocol))
        ? []
        : [unsupported([...path, "protocol"], protocol, protocols)]),
      ...(typeof appProtocol === "string"
        ? qualifiedNameFaults(appProtocol).map((fault) => invalid([...path, "appProtocol"], appProtocol, fault))
        : []),
    ];
  });
}

function endpointFaults(
  addressType: unknown,
  { addresses, hostname, nodeName, hints }: Fields,
  path: Path,
): readonly Fault[] {
  const list = listOf(addresses);
  const at = [...path, "addresses"];
  return [
    ...(list.length === 0 ? [required(at, "must contain at least 1 address")] : []),
    ...(list.length > maxAddresses ? [tooMany(at, list.length, maxAddresses)] : []),
    ...(addressTypes.includes(textOf(addressType))
      ? list.flatMap((address, index) => endpointAddressFaults(addressType, textOf(address), at, index))
      : []),
    ...(typeof hostname === "string"
      ? labelFaults(hostname).map((fault) => invalid([...path, "hostname"], hostname, fault))
      : []),
    ...(typeof nodeName === "string"
      ? subdomainFaults(nodeName).map((fault) => invalid([...path, "nodeName"], nodeName, fault))
      : []),
    ...hintFaults(fieldsOf(hints)["forZones"], [...path, "hints", "forZones"], labelValueFaults),
    ...hintFaults(fieldsOf(hints)["forNodes"], [...path, "hints", "forNodes"], subdomainFaults),
  ];
}

const maxHints = 8;

/** For whom an endpoint is best. */
function hintFaults(hints: unknown, path: Path, faultsOf: (name: string) => readonly string[]): readonly Fault[] {
  const names = listOf(hints).map((hint) => textOf(fieldsOf(hint)["name"]));
  if (names.length > maxHints) return [tooMany(path, names.length, maxHints)];
  return names.flatMap((name, index) => {
    const at = [...path, index, "name"];
    return [
      ...(names.indexOf(name) < index ? [duplicate(at, name)] : []),
      ...faultsOf(name).map((fault) => invalid(at, name, fault)),
    ];
  });
}

import {
  GroupName,
  HTTPProtocolType,
  HTTPSProtocolType,
  type Listener,
  type ListenerEntry,
  ListenerReasonInvalidRouteKinds,
  ListenerReasonUnsupportedProtocol,
  ListenerReasonUnsupportedValue,
  TCPProtocolType,
  TLSModePassthrough,
  TLSModeTerminate,
  TLSProtocolType,
  UDPProtocolType,
} from "@gatewright/crd-types/gateway/v1";
import type { ClientValidation } from "../../ir/index.ts";
import { allowedNamespacesOf, type GroupKind, isHttp, kindsOfProtocol, normalizeHostname } from "../attach/index.ts";
import type { Problem } from "../conditions.ts";
import { formatKind, listed } from "../messages.ts";
import type { Grants } from "../refs/index.ts";
import type { ListenerView } from "../views.ts";
import { type ListenerCertificates, resolveCertificates } from "./certificate-refs.ts";
import type { CertificateTables } from "./certificates.ts";
import { frontendAt, type FrontendView } from "./frontend.ts";
import type { GatewayTlsView } from "./gateway-tls.ts";
import { type CheckedFilters, checkListenerFilters, filtersOf, type FilterTables } from "./listener-filters.ts";

/** A listener by itself, before it is held against its siblings. */
export type CheckedListener = {
  readonly name: string;
  readonly port: number;
  readonly protocol: string;
  /** `*` for any. */
  readonly hostname: string;
  readonly supportedKinds: readonly GroupKind[];
  readonly allowedNamespaces: ListenerView["allowedNamespaces"];
  readonly certificates: readonly string[];
  /** What clients have to show; undefined: nothing. */
  readonly clients?: ClientValidation;
  readonly passthrough?: true;
  /** Where they are not accepted, neither is the listener: its hosts stay its own all the same. */
  readonly filters: CheckedFilters;
  /** Why it is not accepted. */
  readonly refusal?: Problem;
  /** Why its references are not resolved. */
  readonly unresolved?: Problem;
  /** What its author should know all the same. */
  readonly warnings: readonly string[];
  /** Whether its port and host are kept from those who come after it, though it may have to wait for something before it serves. */
  readonly claims: boolean;
  /** Whether it would serve if it were alone. */
  readonly serves: boolean;
};

/** Who states a listener, and what the Gateway says for all of its listeners, whoever states them. */
export type ListenerOwner = {
  readonly kind: "Gateway" | "ListenerSet";
  readonly namespace: string;
  readonly gatewayTls: GatewayTlsView | undefined;
};

export function checkListener(
  listener: Listener | ListenerEntry,
  owner: ListenerOwner,
  grants: Grants,
  tables: CertificateTables & FilterTables,
): CheckedListener {
  const { name, port, protocol } = listener;
  const terminates = endsTls(listener);
  const frontend = frontendOf(listener, owner);
  const misstated = refusalOf(listener);
  const refusal = misstated ?? frontend.refusal;
  const kinds = kindsOf(listener);
  const needsCertificate = terminates && refusal === undefined;
  const certificates: ListenerCertificates = needsCertificate
    ? resolveCertificates(owner, listener.tls?.certificateRefs ?? [], grants, tables)
    : { names: [], warnings: [] };
  const filters = checkListenerFilters(listener, owner, grants, tables);
  const unresolved = certificates.problem ?? frontend.unresolved ?? filters.unresolved ?? kinds.problem;
  return {
    name,
    port,
    protocol,
    // Nothing in it says a host.
    hostname: normalizeHostname(
      protocol === TCPProtocolType || protocol === UDPProtocolType ? undefined : listener.hostname,
    ),
    supportedKinds: kinds.supported,
    allowedNamespaces: allowedNamespacesOf(listener.allowedRoutes?.namespaces, "Same"),
    certificates: certificates.names,
    ...(frontend.clients && { clients: frontend.clients }),
    ...(isPassthrough(listener) && { passthrough: true }),
    filters,
    ...(refusal && { refusal }),
    ...(unresolved && { unresolved }),
    warnings: [...certificates.warnings, ...unknownOptions(listener)],
    claims: misstated === undefined,
    serves: refusal === undefined && kinds.supported.length > 0 && (!terminates || certificates.names.length > 0),
  };
}

/** What asks for something that we do not do is refused: to leave it out would serve what its author meant to guard. */
function refusalOf(listener: Listener | ListenerEntry): Problem | undefined {
  const { protocol, tls } = listener;
  const unsupported = (message: string): Problem => ({ reason: ListenerReasonUnsupportedValue, message });
  if (!protocols.has(protocol))
    return { reason: ListenerReasonUnsupportedProtocol, message: `protocol ${protocol} is not supported` };
  const hasTls = protocol === HTTPSProtocolType || protocol === TLSProtocolType;
  if (!hasTls && tls !== undefined) return unsupported(`tls is not for protocol ${protocol}`);
  const mode = tls?.mode ?? TLSModeTerminate;
  if (mode !== TLSModeTerminate && !(mode === TLSModePassthrough && protocol === TLSProtocolType))
    return unsupported(`tls.mode ${mode} is not for protocol ${protocol}`);
  if (filtersOf(listener).length > 0 && !isHttp(protocol))
    return unsupported(`filters are not for protocol ${protocol}`);
  return undefined;
}

const protocols: ReadonlySet<string> = new Set([
  HTTPProtocolType,
  HTTPSProtocolType,
  TLSProtocolType,
  TCPProtocolType,
  UDPProtocolType,
]);

/** The connection goes on to the backend as it is. */
const isPassthrough = ({ tls }: Pick<Listener, "tls">): boolean => tls?.mode === TLSModePassthrough;

const endsTls = (listener: Pick<Listener, "protocol" | "tls">): boolean =>
  listener.protocol === HTTPSProtocolType || (listener.protocol === TLSProtocolType && !isPassthrough(listener));

/** What is asked of clients: the same for connections as for requests, wherever TLS ends. */
const frontendOf = (listener: Listener | ListenerEntry, { gatewayTls }: ListenerOwner): FrontendView =>
  (gatewayTls && endsTls(listener) ? frontendAt(gatewayTls.frontend, listener.port) : undefined) ?? {};

type Kinds = { readonly supported: readonly GroupKind[]; readonly problem?: Problem };

function kindsOf({ protocol, allowedRoutes }: Listener | ListenerEntry): Kinds {
  const possible = kindsOfProtocol(protocol);
  const stated = (allowedRoutes?.kinds ?? []).map(({ group = GroupName, kind }): GroupKind => ({ group, kind }));
  if (stated.length === 0) return { supported: possible };
  const among = (kinds: readonly GroupKind[], { group, kind }: GroupKind) =>
    kinds.some((known) => known.group === group && known.kind === kind);
  const supported = possible.filter((kind) => among(stated, kind));
  const invalid = stated.filter((kind) => !among(possible, kind));
  if (invalid.length === 0) return { supported };
  const names = invalid.map(({ group, kind }) => formatKind({ group: group === GroupName ? "" : group, kind }));
  const message = `kinds of routes that a listener of protocol ${protocol} cannot take: ${listed(names)}`;
  return { supported, problem: { reason: ListenerReasonInvalidRouteKinds, message } };
}

/** They are for implementations to define, and we define none. */
function unknownOptions({ tls }: Listener | ListenerEntry): readonly string[] {
  const names = Object.keys(tls?.options ?? {}).toSorted();
  return names.length === 0 ? [] : [`options that have no effect: ${listed(names)}`];
}

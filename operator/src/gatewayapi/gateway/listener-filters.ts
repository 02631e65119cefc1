import {
  type HTTPExternalAuthFilter,
  type Listener,
  type ListenerEntry,
  type ListenerFilter,
  ListenerFilterExtensionRef,
  ListenerFilterExternalAuth,
  ListenerReasonRefNotPermitted,
  ListenerReasonUnsupportedValue,
} from "@gatewright/crd-types/gateway/v1";
import type { ExternalAuth, RequestFilter } from "../../ir/index.ts";
import { isToken, type Table } from "../../lib/index.ts";
import type { BackendView } from "../backends/index.ts";
import type { Problem } from "../conditions.ts";
import type { ListenerParentKind } from "../listener-parents.ts";
import { listed } from "../messages.ts";
import type { Grants } from "../refs/index.ts";
import { createReferences, type References, type Unresolved } from "../routes/references.ts";
import type { FilterView } from "../views.ts";

/** What the filters of a listener come to. https://gateway-api.sigs.k8s.io/geps/gep-5224/ */
export type CheckedFilters = {
  /** In the listener's order. Where one cannot be had, something that lets nobody by stands instead of all. */
  readonly requests: readonly RequestFilter[];
  readonly blocked?: true;
  /** Why the listener is not accepted. */
  readonly refusal?: Problem;
  /** Why its references are not resolved. */
  readonly unresolved?: Problem;
};

export type FilterTables = {
  /** By HTTPFilter key. */
  readonly filters: Table<FilterView>;
  /** By `backendKey`: those that listeners refer to. */
  readonly listenerBackends: Table<BackendView>;
};

// The API's text has these two, its Go types do not yet.
const invalidFilter = "InvalidListenerFilter";
const invalidFilterRef = "InvalidListenerFilterRef";

type Owner = { readonly kind: ListenerParentKind; readonly namespace: string };

export const filtersOf = ({ filters }: Pick<Listener | ListenerEntry, "filters">): readonly ListenerFilter[] =>
  filters?.requests ?? [];

/** Envoy takes filters in any order, so that none is refused for that. */
export function checkListenerFilters(
  listener: Pick<Listener | ListenerEntry, "filters">,
  owner: Owner,
  grants: Grants,
  { filters, listenerBackends }: FilterTables,
): CheckedFilters {
  const stated = filtersOf(listener);
  if (stated.length === 0) return none;
  const referencesFor = (transport: "http" | "grpc") =>
    createReferences(owner.namespace, { grants, filters, backends: listenerBackends }, owner.kind, transport);
  const checked = stated.map((filter, index) => checkFilter(filter, `filters.requests[${index}]`, referencesFor));
  const refusal = joined(checked.flatMap((each) => (each.kind === "refused" ? [each.problem] : [])));
  const unresolved = joined(checked.flatMap((each) => (each.kind === "unresolved" ? [each.problem] : [])));
  const isBlocked = (refusal ?? unresolved) !== undefined;
  return {
    requests: isBlocked ? refuseAll : checked.flatMap((each) => (each.kind === "filter" ? [each.filter] : [])),
    ...(isBlocked && { blocked: true }),
    ...(refusal && { refusal }),
    ...(unresolved && { unresolved }),
  };
}

const none: CheckedFilters = { requests: [] };

/** In the listener itself: what is said by a route would come later than that the filters are gone, or earlier than that they are back. */
const refuseAll: readonly RequestFilter[] = [{ kind: "respond", status: 500 }];

/** All of them, under the reason of the first. */
function joined(problems: readonly Problem[]): Problem | undefined {
  const [first] = problems;
  return (
    first && {
      reason: first.reason,
      message: listed(
        problems.map(({ message }) => message),
        "; ",
      ),
    }
  );
}

type Checked =
  | { readonly kind: "filter"; readonly filter: RequestFilter }
  | { readonly kind: "refused" | "unresolved"; readonly problem: Problem };

type ReferencesFor = (transport: "http" | "grpc") => References;

const refused = (message: string, reason: string = invalidFilter): Checked => ({
  kind: "refused",
  problem: { reason, message },
});

function checkFilter(
  { type, externalAuth, extensionRef }: ListenerFilter,
  at: string,
  referencesFor: ReferencesFor,
): Checked {
  if (type === ListenerFilterExternalAuth && externalAuth !== undefined && extensionRef === undefined)
    return checkExternalAuth(externalAuth, at, referencesFor);
  if (type === ListenerFilterExtensionRef && extensionRef !== undefined && externalAuth === undefined) {
    const target = referencesFor("http").filter(extensionRef);
    return target.kind === "extension"
      ? { kind: "filter", filter: { kind: "extension", ...target.extension } }
      : unfollowed(target, `${at}.extensionRef`);
  }
  return type === ListenerFilterExternalAuth || type === ListenerFilterExtensionRef
    ? refused(`${at}: a filter of type ${type} holds what its type names, and nothing else`)
    : refused(`${at}.type: ${JSON.stringify(type)} is not supported`, ListenerReasonUnsupportedValue);
}

/** What is there and cannot be used is the filter's fault, and not that of the reference. */
function unfollowed({ reason, message }: Unresolved, at: string): Checked {
  if (reason === "InvalidFilter") return refused(`${at}: ${message}`);
  const isForbidden = reason === ListenerReasonRefNotPermitted;
  return {
    kind: "unresolved",
    problem: { reason: isForbidden ? reason : invalidFilterRef, message: `${at}: ${message}` },
  };
}

/** As the API has it for the paths of matches, which may lack the slash before them. */
const pathSyntax = /^(?:[-A-Za-z0-9/._~!$&'()*+,;=:@]|%[0-9a-fA-F]{2})+$/;

function checkExternalAuth(auth: HTTPExternalAuthFilter, filterAt: string, referencesFor: ReferencesFor): Checked {
  const at = `${filterAt}.externalAuth`;
  const { protocol, backendRef, forwardBody, http = {}, grpc = {} } = auth;
  if (protocol !== "HTTP" && protocol !== "GRPC")
    return refused(`${at}.protocol: ${JSON.stringify(protocol)} is not supported`, ListenerReasonUnsupportedValue);
  const { path = "", allowedHeaders = [], allowedResponseHeaders = [] } = protocol === "HTTP" ? http : grpcAsHttp(grpc);
  if (path !== "" && !pathSyntax.test(path))
    return refused(`${at}.http.path: ${JSON.stringify(path)} is not the beginning of a path`);
  const misnamed = [...allowedHeaders, ...allowedResponseHeaders].find((name) => !isToken(name));
  if (misnamed !== undefined) return refused(`${at}: ${JSON.stringify(misnamed)} is not the name of a header`);
  const maxBodyBytes = forwardBody?.maxSize ?? 0;
  if (maxBodyBytes < 0) return refused(`${at}.forwardBody.maxSize: ${maxBodyBytes} is less than 0`);

  const transport = protocol === "GRPC" ? "grpc" : "http";
  const target = referencesFor(transport).backend(backendRef);
  if (target.kind === "unresolved") return unfollowed(target, `${at}.backendRef`);
  const { namespace, name } = target.cluster.origin;
  const filter: ExternalAuth = {
    kind: "external-auth",
    protocol: transport,
    cluster: target.cluster.name,
    authority: `${name}.${namespace}.svc`,
    ...(path !== "" && { pathPrefix: path.startsWith("/") ? path : `/${path}` }),
    requestHeaders: allowedHeaders.map((header) => header.toLowerCase()),
    responseHeaders: allowedResponseHeaders.map((header) => header.toLowerCase()),
    ...(maxBodyBytes > 0 && { maxBodyBytes }),
  };
  return { kind: "filter", filter };
}

const grpcAsHttp = ({
  allowedHeaders = [],
}: NonNullable<HTTPExternalAuthFilter["grpc"]>): NonNullable<HTTPExternalAuthFilter["http"]> => ({ allowedHeaders });

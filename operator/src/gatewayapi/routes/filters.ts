import type { HTTPRouteFilter, HTTPRouteMatch } from "@gatewright/crd-types/gateway/v1";
import type { CorsPolicy, HeaderChange, Mirror, PathChange, RedirectAction, RouteExtension } from "../../ir/index.ts";
import { translateCors } from "./cors.ts";
import { translateHeaderChange } from "./header-change.ts";
import { isPreciseHostname } from "./http-syntax.ts";
import { translateMirror } from "./mirror.ts";
import { translatePathChange } from "./path-change.ts";
import { translateRedirect } from "./redirect.ts";
import type { References } from "./references.ts";
import type { RuleReport } from "./report.ts";

/** What the filters of a rule, or of a backend of it, come to. Envoy has an order of its own, whatever theirs. */
export type Filters = {
  readonly requestHeaders?: HeaderChange;
  readonly responseHeaders?: HeaderChange;
  readonly cors?: CorsPolicy;
  readonly redirect?: RedirectAction;
  /** By URLRewrite, or by a request header `Host` that is set. */
  readonly host?: string;
  readonly path?: PathChange;
  readonly mirrors: readonly Mirror[];
  readonly extensions: readonly RouteExtension[];
  /** An extension cannot be resolved, and must not be left out: the requests are answered 500. */
  readonly blocked: boolean;
};

type FilterType = HTTPRouteFilter["type"];
type Payload = Exclude<keyof HTTPRouteFilter, "type">;

const payloads: Readonly<Record<FilterType, Payload>> = {
  RequestHeaderModifier: "requestHeaderModifier",
  ResponseHeaderModifier: "responseHeaderModifier",
  RequestMirror: "requestMirror",
  RequestRedirect: "requestRedirect",
  URLRewrite: "urlRewrite",
  CORS: "cors",
  ExternalAuth: "externalAuth",
  ExtensionRef: "extensionRef",
};

const repeatable: ReadonlySet<FilterType> = new Set(["RequestMirror", "ExtensionRef"]);

/** Of the filters of a single backend, Envoy can do these. */
const backendTypes: ReadonlySet<FilterType> = new Set([
  "RequestHeaderModifier",
  "ResponseHeaderModifier",
  "URLRewrite",
]);

export type FilterContext = {
  readonly level: "rule" | "backend";
  readonly matches: readonly HTTPRouteMatch[];
  readonly references: References;
  readonly report: RuleReport;
};

type Draft = { -readonly [K in keyof Filters]: Filters[K] } & { mirrors: Mirror[]; extensions: RouteExtension[] };

export function translateFilters(filters: readonly HTTPRouteFilter[], field: string, context: FilterContext): Filters {
  const { report, level } = context;
  const draft: Draft = { mirrors: [], extensions: [], blocked: false };
  const seen = new Set<FilterType>();
  for (const [index, filter] of filters.entries()) {
    const at = `${field}[${index}]`;
    if (!isWellFormed(filter, at, report)) continue;
    if (seen.has(filter.type) && !repeatable.has(filter.type))
      report.refuse(at, `${filter.type} cannot be repeated`, "IncompatibleFilters");
    seen.add(filter.type);
    if (level === "rule") applyToRule(filter, at, draft, context);
    else applyToBackend(filter, at, draft, context);
  }
  if (seen.has("RequestRedirect") && seen.has("URLRewrite"))
    report.refuse(field, "RequestRedirect and URLRewrite exclude each other", "IncompatibleFilters");
  return draft;
}

/** A filter holds what its type names and nothing else. */
function isWellFormed(filter: HTTPRouteFilter, at: string, report: RuleReport): boolean {
  const { type } = filter;
  if (!Object.hasOwn(payloads, type)) {
    report.refuse(`${at}.type`, `${JSON.stringify(type)} is not supported`);
    return false;
  }
  const strangers = Object.values(payloads).filter((name) => name !== payloads[type] && filter[name] !== undefined);
  if (strangers.length > 0) report.refuse(at, `${type} takes no ${strangers.join(", ")}`);
  if (filter[payloads[type]] === undefined) report.refuse(at, `${type} needs ${payloads[type]}`);
  return strangers.length === 0 && filter[payloads[type]] !== undefined;
}

function applyToRule(filter: HTTPRouteFilter, at: string, draft: Draft, context: FilterContext): void {
  const { report, references, matches } = context;
  const { requestRedirect, requestMirror, cors, extensionRef } = filter;
  if (filter.type === "ExternalAuth") report.refuse(at, "ExternalAuth is not supported");
  if (requestRedirect !== undefined)
    draft.redirect = translateRedirect(requestRedirect, matches, `${at}.requestRedirect`, report);
  if (cors !== undefined) draft.cors = translateCors(cors, `${at}.cors`, report);
  if (requestMirror !== undefined) {
    const mirror = translateMirror(requestMirror, `${at}.requestMirror`, references, report);
    if (mirror !== undefined) draft.mirrors.push(mirror);
  }
  if (extensionRef !== undefined) extend(extensionRef, at, draft, context);
  rewrite(filter, at, draft, context);
}

function extend(
  ref: NonNullable<HTTPRouteFilter["extensionRef"]>,
  at: string,
  draft: Draft,
  context: FilterContext,
): void {
  const { report, references } = context;
  const target = references.filter(ref);
  if (target.kind === "unresolved") {
    draft.blocked = true;
    report.unresolve(`${at}.extensionRef`, target);
    return;
  }
  const { extension } = target;
  const twin = draft.extensions.find(({ filter }) => filter === extension.filter);
  // Envoy keeps one configuration a filter and route. To drop one of two might drop the one that guards.
  if (twin !== undefined)
    report.refuse(
      `${at}.extensionRef`,
      `HTTPFilters ${twin.origin.name} and ${extension.origin.name} both configure ${extension.filter}, which a rule can do once`,
      "IncompatibleFilters",
    );
  draft.extensions.push(extension);
}

function applyToBackend(filter: HTTPRouteFilter, at: string, draft: Draft, context: FilterContext): void {
  const { report } = context;
  if (filter.type === "ExtensionRef") {
    draft.blocked = true;
    const message = "ExtensionRef is supported on rules, not on backends";
    report.unresolve(at, { reason: "UnsupportedValue", message });
  } else if (backendTypes.has(filter.type)) rewrite(filter, at, draft, context);
  else report.refuse(at, `${filter.type} is supported on rules, not on backends`);
}

/** Header modifiers and URLRewrite, which work on both levels. */
function rewrite(filter: HTTPRouteFilter, at: string, draft: Draft, { report, matches }: FilterContext): void {
  const { requestHeaderModifier, responseHeaderModifier, urlRewrite } = filter;
  if (requestHeaderModifier !== undefined) {
    const field = `${at}.requestHeaderModifier`;
    const { change, host } = translateHeaderChange(requestHeaderModifier, field, report, "request");
    if (change !== undefined) draft.requestHeaders = change;
    if (host !== undefined) setHost(draft, host, field, report);
  }
  if (responseHeaderModifier !== undefined) {
    const field = `${at}.responseHeaderModifier`;
    const { change } = translateHeaderChange(responseHeaderModifier, field, report, "response");
    if (change !== undefined) draft.responseHeaders = change;
  }
  if (urlRewrite === undefined) return;
  const { hostname, path: modifier } = urlRewrite;
  const path = modifier && translatePathChange(modifier, matches, `${at}.urlRewrite.path`, report);
  if (path !== undefined) draft.path = path;
  if (hostname === undefined) return;
  if (!isPreciseHostname(hostname))
    report.refuse(`${at}.urlRewrite.hostname`, `${JSON.stringify(hostname)} is not a hostname without wildcard`);
  setHost(draft, hostname, `${at}.urlRewrite.hostname`, report);
}

function setHost(draft: Draft, host: string, field: string, report: RuleReport): void {
  if (draft.host !== undefined)
    report.refuse(field, "the host is changed twice: by URLRewrite and by a request header", "IncompatibleFilters");
  draft.host = host;
}

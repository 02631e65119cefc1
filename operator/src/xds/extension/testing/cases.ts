import type { ExtensionSpec } from "../index.ts";

/** A configuration that our checks and Envoy must judge alike. */
export type ExtensionCase = ExtensionSpec & { readonly title: string };

const url = (name: string) => `type.googleapis.com/envoy.extensions.filters.http.${name}`;
const cases = (filter: string, type: string, configs: { readonly [title: string]: object }): readonly ExtensionCase[] =>
  Object.entries(configs).map(([title, config]) => ({
    title: `${filter}: ${title}`,
    filter: `envoy.filters.http.${filter}`,
    typedConfig: { "@type": url(type), ...config },
  }));

const pair = { metadataNamespace: "envoy.lb", key: "k" };
const headerToMetadata = (rule: object) => ({ requestRules: [rule] });
const append = (header: object, option: object = {}) => ({
  mutations: { requestMutations: [{ append: { header: { key: "x-a", ...header }, ...option } }] },
});
const value = (text: string) => append({ value: text });
const query = (mutation: object) => ({ mutations: { queryParameterMutations: [mutation] } });
const policy = (allowed: object, principal: object = { any: true }) => ({
  rbac: { rules: { action: "ALLOW", policies: { p: { permissions: [allowed], principals: [principal] } } } },
});
const header = (match: object) => policy({ header: { name: "x-a", ...match } });
const action = (result: string) => ({
  action: {
    name: "action",
    typedConfig: { "@type": "type.googleapis.com/envoy.config.rbac.v3.Action", name: "n", action: result },
  },
});
const input = (type: string, config: object = {}) => ({
  name: "input",
  typedConfig: { "@type": `type.googleapis.com/${type}`, ...config },
});
const matching = (from: object) => ({
  rbac: {
    matcher: {
      matcherList: {
        matchers: [
          { predicate: { singlePredicate: { input: from, valueMatch: { exact: "a" } } }, onMatch: action("DENY") },
        ],
      },
      onNoMatch: action("ALLOW"),
    },
  },
});
const network = (name: string) => input(`envoy.extensions.matching.common_inputs.network.v3.${name}`);
const ssl = (name: string) => input(`envoy.extensions.matching.common_inputs.ssl.v3.${name}`);
const percent = { defaultValue: { numerator: 100 } };

export const goodCases: readonly ExtensionCase[] = [
  ...cases("header_to_metadata", "header_to_metadata.v3.Config", {
    "a header": headerToMetadata({ header: "x-tenant", onHeaderPresent: pair }),
    "a cookie": headerToMetadata({ cookie: "tenant", onHeaderPresent: pair }),
    "a value for want of a header": headerToMetadata({
      header: "x-tenant",
      onHeaderMissing: { ...pair, value: "none" },
    }),
    "a rewrite": headerToMetadata({
      header: ":path",
      onHeaderPresent: { ...pair, regexValueRewrite: { pattern: { regex: "^/(.*)$" }, substitution: "\\1" } },
    }),
    responses: { response_rules: [{ header: "x-a", on_header_present: pair, remove: true }] },
  }),
  ...cases("header_mutation", "header_mutation.v3.HeaderMutationPerRoute", {
    nothing: {},
    headers: {
      mutations: {
        requestMutations: [
          { append: { header: { key: "x-a", value: "b" }, appendAction: "ADD_IF_ABSENT" } },
          { remove: "x-b" },
        ],
        responseMutations: [{ removeOnMatch: { keyMatcher: { prefix: "x-internal-" } } }],
      },
    },
    "query parameters": query({
      append: { record: { key: "a", value: "%REQ(x-a)%" }, action: "OVERWRITE_IF_EXISTS_OR_ADD" },
    }),
    "a parameter removed": query({ remove: "a" }),
    "raw values, which hold no commands": append({ rawValue: Buffer.from("100%").toString("base64") }),
    "a percent sign": value("100%%"),
    commands: value("%REQ(x-a?:path):10% %START_TIME(%Y-%m)% %DYNAMIC_METADATA(a:b):3% %PATH(NQ:PATH)% %PROTOCOL%"),
    "more commands": value(
      "%QUERY_PARAMS(DECODED)% %GRPC_STATUS(NUMBER)% %COMMON_DURATION(DS_RX_BEG:DS_RX_END:ms)% %QUERY_PARAM(a)%",
    ),
  }),
  ...cases("rbac", "rbac.v3.RBACPerRoute", {
    off: {},
    everybody: policy({ any: true }),
    paths: policy({ urlPath: { path: { prefix: "/a", ignoreCase: true } } }),
    addresses: policy(
      { destinationIp: { addressPrefix: "10.0.0.0", prefixLen: 8 } },
      { remoteIp: { addressPrefix: "::1" } },
    ),
    ports: policy({ destinationPortRange: { start: 1, end: 65536 } }),
    nested: policy({ andRules: { rules: [{ notRule: { any: true } }, { orRules: { rules: [{ any: true }] } }] } }),
    metadata: policy({
      metadata: { filter: "envoy.lb", path: [{ key: "k" }], value: { stringMatch: { exact: "a" } } },
    }),
    identities: policy({ any: true }, { authenticated: { principalName: { exact: "spiffe://a/b" } } }),
    expressions: header({ stringMatch: { safeRegex: { googleRe2: {}, regex: "^[a-z]{1,9}$" } } }),
    "a matcher of headers": matching(input("envoy.type.matcher.v3.HttpRequestHeaderMatchInput", { headerName: "x-a" })),
    "a matcher of ports": matching(network("DestinationPortInput")),
    "a matcher of direct sources": matching(network("DirectSourceIPInput")),
    "a matcher of server names": matching(network("ServerNameInput")),
    "a matcher of sources": matching(network("SourceIPInput")),
    "a matcher of DNS names": matching(ssl("DnsSanInput")),
    "a matcher of subjects": matching(ssl("SubjectInput")),
    "a matcher of URIs": matching(ssl("UriSanInput")),
  }),
  ...cases("csrf", "csrf.v3.CsrfPolicy", {
    "own origin": { filterEnabled: percent },
    "more origins": { filterEnabled: percent, additionalOrigins: [{ suffix: ".example.com" }] },
  }),
  ...cases("buffer", "buffer.v3.BufferPerRoute", {
    "a size": { buffer: { maxRequestBytes: 1024 } },
    off: { disabled: true },
  }),
  ...cases("fault", "fault.v3.HTTPFault", {
    delay: { delay: { fixedDelay: "0.5s", percentage: { numerator: 10 } } },
    abort: {
      abort: { httpStatus: 503, percentage: { numerator: 10 } },
      headers: [{ name: "x-a", presentMatch: true }],
    },
  }),
];

/** What keeps all rules of Envoy's API, and Envoy's code refuses. */
export const refusedCases: readonly (ExtensionCase & { readonly path: string })[] = [
  ...refused("header_to_metadata", "header_to_metadata.v3.Config", {
    "no rules": [{}, ""],
    "neither present nor missing": [headerToMetadata({ header: "x" }), ".requestRules[0]"],
    "neither header nor cookie": [headerToMetadata({ onHeaderPresent: pair }), ".requestRules[0]"],
    "header and cookie": [
      headerToMetadata({ header: "x", cookie: "c", onHeaderPresent: pair }),
      ".requestRules[0].cookie",
    ],
    "a cookie to remove": [
      headerToMetadata({ cookie: "c", remove: true, onHeaderPresent: pair }),
      ".requestRules[0].remove",
    ],
    "no value for want of a header": [
      headerToMetadata({ header: "x", onHeaderMissing: pair }),
      ".requestRules[0].onHeaderMissing",
    ],
    "a value and a rewrite": [
      headerToMetadata({
        header: "x",
        onHeaderPresent: { ...pair, value: "v", regexValueRewrite: { pattern: { regex: "a" }, substitution: "b" } },
      }),
      ".requestRules[0].onHeaderPresent",
    ],
    "a bad expression": [
      {
        request_rules: [
          {
            header: "x",
            on_header_present: { ...pair, regex_value_rewrite: { pattern: { regex: "a(" }, substitution: "b" } },
          },
        ],
      },
      ".request_rules[0].on_header_present.regex_value_rewrite.pattern.regex",
    ],
  }),
  ...refused("header_mutation", "header_mutation.v3.HeaderMutationPerRoute", {
    "a pseudo header": [append({ key: ":path", value: "/" }), ".mutations.requestMutations[0].append.header.key"],
    "the host": [append({ key: "Host", value: "a" }), ".mutations.requestMutations[0].append.header.key"],
    "both ways of saying how": [
      append({ value: "a" }, { append: true, appendAction: "ADD_IF_ABSENT" }),
      ".mutations.requestMutations[0].append.append",
    ],
    ...Object.fromEntries(
      [
        "50%",
        "%NOPE%",
        "%req(x)%",
        "%REQ%",
        "%REQ()%",
        "%REQ(x y)%",
        "%REQ(x?y?z)%",
        "%REQ(x):a%",
        "%REQ(x)",
        "%PROTOCOL():3%",
        "%PROTOCOL(a)%",
        "%START_TIME:3%",
        "%DYNAMIC_METADATA%",
        "%DYNAMIC_METADATA()%",
        "%UPSTREAM_METADATA(a:b):3%",
        "%PATH(a)%",
        "%GRPC_STATUS(a)%",
        "%COMMON_DURATION(a)%",
        "%FILE_CONTENT(/etc/passwd)%",
        "%SECRET(a)%",
      ].map((text) => [
        `the value ${text}`,
        [value(text), ".mutations.requestMutations[0].append.header.value"] as const,
      ]),
    ),
    "no expression": [
      { mutations: { responseMutations: [{ removeOnMatch: { keyMatcher: { safeRegex: { regex: "[" } } } }] } },
      ".mutations.responseMutations[0].removeOnMatch.keyMatcher.safeRegex.regex",
    ],
    "an empty mutation of parameters": [query({}), ".mutations.queryParameterMutations[0]"],
    "a parameter both set and removed": [
      query({ append: { record: { key: "a", value: "b" } }, remove: "a" }),
      ".mutations.queryParameterMutations[0].remove",
    ],
    "a parameter without record": [query({ append: {} }), ".mutations.queryParameterMutations[0].append.record"],
    "a parameter that is a number": [
      query({ append: { record: { key: "a", value: 3 } } }),
      ".mutations.queryParameterMutations[0].append.record.value",
    ],
    "a bad command in a parameter": [
      query({ append: { record: { key: "a", value: "%NOPE%" } } }),
      ".mutations.queryParameterMutations[0].append.record.value",
    ],
  }),
  ...refused("rbac", "rbac.v3.RBACPerRoute", {
    "a bad expression": [
      header({ stringMatch: { safeRegex: { regex: "(?=a)" } } }),
      permission(".header.stringMatch.safeRegex.regex"),
    ],
    "an expression too large for its own limit": [
      header({ stringMatch: { safeRegex: { googleRe2: { maxProgramSize: 4 }, regex: "a" } } }),
      permission(".header.stringMatch.safeRegex.regex"),
    ],
    "an expression without case": [
      header({ stringMatch: { ignoreCase: true, safeRegex: { regex: "a" } } }),
      permission(".header.stringMatch.ignoreCase"),
    ],
    "no address": [
      policy({ destinationIp: { addressPrefix: "10.0.0", prefixLen: 8 } }),
      permission(".destinationIp.addressPrefix"),
    ],
    "an address with zeros": [
      policy({ destinationIp: { addressPrefix: "010.0.0.1" } }),
      permission(".destinationIp.addressPrefix"),
    ],
    "ports the wrong way round": [
      policy({ destinationPortRange: { start: 5, end: 5 } }),
      permission(".destinationPortRange"),
    ],
    "ports beyond the last": [
      policy({ destinationPortRange: { start: 5, end: 65537 } }),
      permission(".destinationPortRange"),
    ],
  }),
  ...refused("csrf", "csrf.v3.CsrfPolicy", {
    "a bad expression": [
      { filterEnabled: percent, additionalOrigins: [{ safeRegex: { regex: "(" } }] },
      ".additionalOrigins[0].safeRegex.regex",
    ],
  }),
  ...refused("fault", "fault.v3.HTTPFault", {
    "a bad expression": [
      { abort: { httpStatus: 503 }, headers: [{ name: "x", stringMatch: { safeRegex: { regex: "a**" } } }] },
      ".headers[0].stringMatch.safeRegex.regex",
    ],
  }),
];

function permission(rest: string): string {
  return `.rbac.rules.policies["p"].permissions[0]${rest}`;
}

function refused(
  filter: string,
  type: string,
  table: { readonly [title: string]: readonly [config: object, path: string] },
) {
  const configs = Object.fromEntries(Object.entries(table).map(([title, [config]]) => [title, config]));
  const paths = Object.values(table).map(([, path]) => path);
  return cases(filter, type, configs).map((one, index) => ({ ...one, path: `typedConfig${paths[index] ?? ""}` }));
}

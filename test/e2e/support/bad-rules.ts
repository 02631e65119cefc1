// Rules, filters and whole routes with one mistake each, as users have made them: what is said of them and what they cost.

export const stamp = (name: string): string =>
  headerMutation(name, 'responseMutations: [{append: {header: {key: x-stamp, value: "1"}}}]');

const headerMutation = (name: string, mutations: string) =>
  opaqueFilter(name, "header_mutation", "header_mutation.v3.HeaderMutationPerRoute", `mutations: {${mutations}}`);

const opaqueFilter = (name: string, filter: string, type: string, config: string) => `
apiVersion: config.aether.io/v1
kind: HTTPFilter
metadata: {name: ${name}, namespace: team-a}
spec:
  filter: envoy.filters.http.${filter}
  typedConfig:
    "@type": type.googleapis.com/envoy.extensions.filters.http.${type}
    ${config}`;

export const ruleWith = (filters: string, path = "/bad"): string => `  - matches: [{path: {value: ${path}}}]
    filters: [${filters}]
    backendRefs: [{name: one, port: 80}]`;
export const fineRule = `  - matches: [{path: {value: /fine}}]
    backendRefs: [{name: one, port: 80}]`;
const matching = (regex: string) => `  - matches: [{path: {type: RegularExpression, value: "${regex}"}}]
    backendRefs: [{name: one, port: 80}]`;
const modifier = (direction: "Request" | "Response", name: string, value: string) => {
  const payload = `{set: [{name: ${JSON.stringify(name)}, value: ${JSON.stringify(value)}}]}`;
  return `{type: ${direction}HeaderModifier, ${direction.toLowerCase()}HeaderModifier: ${payload}}`;
};
const setHeader = (name: string, value: string) => modifier("Request", name, value);
export const reference = (group: string, kind: string, name: string): string =>
  `{type: ExtensionRef, extensionRef: {group: "${group}", kind: ${kind}, name: ${name}}}`;

export type BadRule = {
  readonly name: string;
  /** Rules of the route \`bad\`, beside one that is fine. */
  readonly rules: string;
  readonly condition: readonly [type: string, status: string, reason?: string];
  readonly says: RegExp;
  /** 500 unless given: a match that cannot be put to Envoy is not there at all. */
  readonly answer?: number;
};

export const badRules: readonly BadRule[] = [
  {
    name: "a regular expression whose program is too large for Envoy",
    rules: matching("/bad/((alpha|beta|gamma|delta){1,400}){1,200}"),
    condition: ["Accepted", "False"],
    says: /expression|regex/i,
    answer: 404,
  },
  ...["(?=x)", "(a)\\\\1", "a++", "[[:nope:]]", "(?<n>a", "\\\\p{Nope}", "\\\\x{100}", "a{1,1001}"].map(
    (part): BadRule => ({
      name: `a regular expression that RE2 does not know: ${part}`,
      rules: matching(`/bad${part}`),
      condition: ["Accepted", "False"],
      says: /matches\[0\]\.path\.value: RE2 cannot read it/,
      answer: 404,
    }),
  ),
  {
    name: "Host set twice, by header and by rewrite",
    rules: ruleWith(
      `${setHeader("Host", "inner.example.com")}, {type: URLRewrite, urlRewrite: {hostname: inner.example.com}}`,
    ),
    condition: ["Accepted", "False"],
    says: /host/i,
  },
  ...["connection", "Content-Length", "transfer-encoding", "upgrade"].map(
    (header): BadRule => ({
      name: `a framing header of requests: ${header}`,
      rules: ruleWith(setHeader(header, "5")),
      condition: ["Accepted", "False"],
      says: new RegExp(`set\\[0\\]\\.name: ${header.toLowerCase()} belongs to the connection`),
    }),
  ),
  {
    name: "a framing header of responses",
    rules: ruleWith(modifier("Response", "content-length", "0")),
    condition: ["Accepted", "False"],
    says: /content-length/,
  },
  {
    name: "a filter that is not there",
    rules: ruleWith(reference("config.aether.io", "HTTPFilter", "not-there")),
    condition: ["ResolvedRefs", "False"],
    says: /not-there/,
  },
  {
    name: "a kind spelled wrong",
    rules: ruleWith(reference("config.aether.io", "HttpFilter", "stamp")),
    condition: ["ResolvedRefs", "False", "InvalidKind"],
    says: /HttpFilter/,
  },
  {
    name: "a group left empty",
    rules: ruleWith(reference("", "HTTPFilter", "stamp")),
    condition: ["ResolvedRefs", "False", "InvalidKind"],
    says: /HTTPFilter/,
  },
  {
    name: "a filter on a backend, where it is not supported",
    rules: `  - matches: [{path: {value: /bad}}]
    backendRefs: [{name: one, port: 80, filters: [${reference("config.aether.io", "HTTPFilter", "stamp")}]}]`,
    condition: ["ResolvedRefs", "False", "UnsupportedValue"],
    says: /filters\[0\]/,
  },
];

export type BadFilter = {
  readonly name: string;
  readonly filter: string;
  /** What its status says. */
  readonly says: RegExp;
};

const changing = (name: string, mutation: string, says: RegExp): BadFilter => ({
  name,
  filter: headerMutation("bad", `requestMutations: [${mutation}]`),
  says,
});
const setting = (header: string, value: string, says: RegExp): BadFilter => {
  const shown = `${header}: ${value}`.slice(0, 30);
  const text = `{append: {header: {key: ${JSON.stringify(header)}, value: ${JSON.stringify(value)}}}}`;
  return changing(`a header that is set: ${JSON.stringify(shown)}`, text, says);
};

export const badFilters: readonly BadFilter[] = [
  setting(":path", "/x", /append\.header\.key: may not be :path/),
  setting("Host", "inner.example.com", /append\.header\.key: may not be Host/),
  setting("x y", "v", /append\.header\.key: \\"x y\\" is not the name of a header/),
  setting("x\ny", "v", /append\.header\.key/),
  setting("", "v", /append\.header\.key/),
  setting("x-a", "a\nb", /append\.header\.value/),
  setting("x-a", "z".repeat(20_000), /append\.header\.value: must be at most 16384/),
  setting("x-a", "100%", /append\.header\.value: has no valid command/),
  ...["connection", "content-length", "transfer-encoding"].map((header) =>
    setting(header, "5", new RegExp(`may not be ${header}, which belongs to the connection`)),
  ),
  ...[":path", "host", "content-length"].map((header) =>
    changing(
      `a header that is removed: ${header}`,
      `{remove: "${header}"}`,
      new RegExp(`remove: may not be ${header}`),
    ),
  ),
  {
    name: "a field of a message spelled wrong",
    filter: headerMutation("bad", "responseMutation: []"),
    says: /spec\.typedConfig\.mutations\.responseMutation: is no field of envoy\.[\w.]+Mutations/,
  },
  {
    name: "a field in the middle spelled wrong, in snake_case",
    filter: headerMutation("bad", "request_mutations: [{append: {heder: {key: x-a, value: v}}}]"),
    says: /spec\.typedConfig\.mutations\.request_mutations\[0\]\.append\.heder: is no field/,
  },
  {
    name: "a value of another type",
    filter: headerMutation("bad", "responseMutations: x"),
    says: /spec\.typedConfig\.mutations\.responseMutations: must be a list/,
  },
  {
    name: "a value that is none of an enumeration",
    filter: headerMutation(
      "bad",
      "requestMutations: [{append: {header: {key: x-a, value: v}, appendAction: REPLACE}}]",
    ),
    says: /appendAction/,
  },
  {
    name: "a type that another filter takes",
    filter: opaqueFilter("bad", "header_mutation", "header_to_metadata.v3.Config", "requestRules: []"),
    says: /spec\.typedConfig\.@type/,
  },
  {
    name: "half a rule, which only Envoy's code refuses",
    filter: opaqueFilter(
      "bad",
      "header_to_metadata",
      "header_to_metadata.v3.Config",
      "request_rules: [{header: x-tenant}]",
    ),
    says: /spec\.typedConfig\.request_rules\[0\]: needs onHeaderPresent or onHeaderMissing/,
  },
  {
    name: "a filter that runs code",
    filter: opaqueFilter("bad", "lua", "lua.v3.LuaPerRoute", "disabled: true"),
    says: /spec\.filter: .*lua/,
  },
];

/** What the schema of the kind refuses, as an API server would: the object stays what it was. */
export const badRoutes: readonly { readonly name: string; readonly rules: string; readonly says: RegExp }[] = [
  {
    name: "a pseudo header",
    rules: ruleWith(setHeader(":path", "/x")),
    says: /set\[0\]\.name: Invalid value: ":path"/,
  },
  { name: "a header's name with a blank", rules: ruleWith(setHeader("x y", "v")), says: /set\[0\]\.name/ },
  { name: "a header's name with a newline", rules: ruleWith(setHeader("x\ny", "v")), says: /set\[0\]\.name/ },
  { name: "a header without a name", rules: ruleWith(setHeader("", "v")), says: /set\[0\]\.name/ },
  { name: "a header without a value", rules: ruleWith(setHeader("x-a", "")), says: /set\[0\]\.value/ },
  { name: "a header's value with a newline", rules: ruleWith(setHeader("x-a", "a\nb")), says: /set\[0\]\.value/ },
  {
    name: "a header's value that is too long",
    rules: ruleWith(setHeader("x-a", "z".repeat(20_000))),
    says: /set\[0\]\.value: Too long: may not be more than 4096 bytes/,
  },
  {
    name: "a name of a response's header",
    rules: ruleWith(modifier("Response", ":status", "200")),
    says: /responseHeaderModifier\.set\[0\]\.name/,
  },
];

import { type DescMessage, fromBinary } from "@bufbuild/protobuf";
import type { Any } from "@bufbuild/protobuf/wkt";
import {
  BufferPerRouteSchema,
  BufferSchema,
} from "@gatewright/crd-types/proto/envoy/extensions/filters/http/buffer/v3/buffer_pb";
import { CsrfPolicySchema } from "@gatewright/crd-types/proto/envoy/extensions/filters/http/csrf/v3/csrf_pb";
import { HTTPFaultSchema } from "@gatewright/crd-types/proto/envoy/extensions/filters/http/fault/v3/fault_pb";
import {
  HeaderMutationPerRouteSchema,
  HeaderMutationSchema,
} from "@gatewright/crd-types/proto/envoy/extensions/filters/http/header_mutation/v3/header_mutation_pb";
import { ConfigSchema } from "@gatewright/crd-types/proto/envoy/extensions/filters/http/header_to_metadata/v3/header_to_metadata_pb";
import {
  RBACPerRouteSchema,
  RBACSchema,
} from "@gatewright/crd-types/proto/envoy/extensions/filters/http/rbac/v3/rbac_pb";
import { packAny } from "../proto/index.ts";
import { headerToMetadataChecks } from "./header-to-metadata.ts";
import { rbacChecks } from "./rbac.ts";
import type { MessageCheck } from "./visit.ts";

/** A filter whose configuration we know how to check. */
export type KnownFilter = {
  readonly name: string;
  /** The one message that the filter takes for a route. Of another type Envoy refuses the route table, or ignores it. */
  readonly perRoute: DescMessage;
  /** For its entry in the chain, which is off but where a route configures the filter: does nothing by itself. */
  readonly neutral: () => Any;
  /** For listeners, where no route configures it: what `config`, encoded as for a route, comes to. It must leave the request's host alone. */
  readonly whole: (config: Uint8Array) => Any;
  /** For a route: switches the filter off where its neutral configuration is not as good as off. */
  readonly off?: () => Any;
  /** Whether it may be used where the mesh says nothing. */
  readonly byDefault: boolean;
  readonly reason: string;
  /** What Envoy's code refuses beyond the rules of its API. */
  readonly checks: readonly MessageCheck[];
  /** Messages that may be packed into the configuration. */
  readonly nested: readonly string[];
};

/**
 * All filters that an HTTPFilter can name. A mesh may allow fewer of them, or those that are not allowed by default; others it
 * cannot allow, since nobody would check what Envoy then is told. Filters that run code (lua, wasm, dynamic modules), call
 * other services (ext_authz, ext_proc, ratelimit) or end the chain (router) do not belong here.
 */
const table: readonly KnownFilter[] = [
  {
    name: "envoy.filters.http.header_to_metadata",
    perRoute: ConfigSchema,
    neutral: () => packAny(ConfigSchema, {}),
    whole: (config) => packAny(ConfigSchema, fromBinary(ConfigSchema, config)),
    byDefault: true,
    reason: "writes metadata of its own request only",
    checks: headerToMetadataChecks,
    nested: [],
  },
  {
    name: "envoy.filters.http.header_mutation",
    perRoute: HeaderMutationPerRouteSchema,
    neutral: () => packAny(HeaderMutationSchema, {}),
    whole: (config) => {
      const { mutations } = fromBinary(HeaderMutationPerRouteSchema, config);
      return packAny(HeaderMutationSchema, mutations === undefined ? {} : { mutations });
    },
    byDefault: true,
    reason: "changes headers and query parameters as a route may",
    checks: [],
    nested: [],
  },
  {
    name: "envoy.filters.http.rbac",
    perRoute: RBACPerRouteSchema,
    neutral: () => packAny(RBACSchema, {}),
    whole: (config) => packAny(RBACSchema, fromBinary(RBACPerRouteSchema, config).rbac ?? {}),
    byDefault: true,
    reason: "can only refuse requests",
    checks: rbacChecks,
    nested: [
      "envoy.config.rbac.v3.Action",
      "envoy.type.matcher.v3.HttpRequestHeaderMatchInput",
      "envoy.extensions.matching.common_inputs.network.v3.DestinationPortInput",
      "envoy.extensions.matching.common_inputs.network.v3.DirectSourceIPInput",
      "envoy.extensions.matching.common_inputs.network.v3.ServerNameInput",
      "envoy.extensions.matching.common_inputs.network.v3.SourceIPInput",
      "envoy.extensions.matching.common_inputs.ssl.v3.DnsSanInput",
      "envoy.extensions.matching.common_inputs.ssl.v3.SubjectInput",
      "envoy.extensions.matching.common_inputs.ssl.v3.UriSanInput",
    ],
  },
  {
    name: "envoy.filters.http.csrf",
    perRoute: CsrfPolicySchema,
    neutral: () => packAny(CsrfPolicySchema, { filterEnabled: { defaultValue: {} } }),
    whole: (config) => packAny(CsrfPolicySchema, fromBinary(CsrfPolicySchema, config)),
    byDefault: true,
    reason: "can only refuse requests",
    checks: [],
    nested: [],
  },
  {
    name: "envoy.filters.http.buffer",
    perRoute: BufferPerRouteSchema,
    neutral: () => packAny(BufferSchema, { maxRequestBytes: 1 }),
    whole: (config) => {
      const { override } = fromBinary(BufferPerRouteSchema, config);
      // Envoy has no buffer that does nothing.
      return override.case === "buffer" ? packAny(BufferSchema, override.value) : packAny(ConfigSchema, {});
    },
    off: () => packAny(BufferPerRouteSchema, { override: { case: "disabled", value: true } }),
    byDefault: false,
    reason: "a route may make the proxy hold large bodies in memory",
    checks: [],
    nested: [],
  },
  {
    name: "envoy.filters.http.fault",
    perRoute: HTTPFaultSchema,
    neutral: () => packAny(HTTPFaultSchema, {}),
    whole: (config) => packAny(HTTPFaultSchema, fromBinary(HTTPFaultSchema, config)),
    byDefault: false,
    reason: "a route may make the proxy hold many requests for long, and let clients ask for it",
    checks: [],
    nested: [],
  },
];

export const knownFilters: ReadonlyMap<string, KnownFilter> = new Map(table.map((filter) => [filter.name, filter]));

/** The names of the filters that an HTTPFilter may use where the mesh says nothing. */
export const defaultFilters: readonly string[] = table.filter(({ byDefault }) => byDefault).map(({ name }) => name);

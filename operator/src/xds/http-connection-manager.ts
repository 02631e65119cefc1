import { create } from "@bufbuild/protobuf";
import { durationFromMs } from "@bufbuild/protobuf/wkt";
import { HttpProtocolOptions_HeadersWithUnderscoresAction } from "@gatewright/crd-types/proto/envoy/config/core/v3/protocol_pb";
import {
  type HttpConnectionManager as Message,
  HttpConnectionManager_PathWithEscapedSlashesAction,
  HttpConnectionManager_ServerHeaderTransformation,
  HttpConnectionManagerSchema,
} from "@gatewright/crd-types/proto/envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb";
import type { AccessLog, HttpConnectionManager } from "../ir/index.ts";
import { buildAccessLog } from "./access-log.ts";
import { adsConfigSource } from "./config-source.ts";
import { buildHttpFilters, type NeutralConfig } from "./filters/index.ts";
import type { Init } from "./init.ts";

export type HttpOptions = {
  /** Prefix of its metrics: the listener's name. */
  readonly statPrefix: string;
  /** Name in Envoy of the route table. Undefined: there is none, and every request is answered 404. */
  readonly routeTable: string | undefined;
  readonly accessLog: AccessLog | undefined;
  readonly neutral: NeutralConfig;
};

/** Settings are Envoy's for an edge proxy unless a comment says otherwise: https://www.envoyproxy.io/docs/envoy/latest/configuration/best_practices/edge */
export function buildHttpConnectionManager(http: HttpConnectionManager, options: HttpOptions): Message {
  const { statPrefix, routeTable, accessLog, neutral } = options;
  return create(HttpConnectionManagerSchema, {
    statPrefix,
    routeSpecifier:
      routeTable === undefined
        ? { case: "routeConfig", value: { name: http.routeTable } }
        : { case: "rds", value: { routeConfigName: routeTable, configSource: adsConfigSource() } },
    httpFilters: [...buildHttpFilters(http, neutral)],
    accessLog: accessLog === undefined ? [] : [buildAccessLog(accessLog)],
    ...clientAddress,
    ...paths,
    pathWithEscapedSlashesAction: http.keepsEscapedSlashes
      ? HttpConnectionManager_PathWithEscapedSlashesAction.KEEP_UNCHANGED
      : HttpConnectionManager_PathWithEscapedSlashesAction.UNESCAPE_AND_REDIRECT,
    // Backends say themselves what they are.
    serverHeaderTransformation: HttpConnectionManager_ServerHeaderTransformation.PASS_THROUGH,
    upgradeConfigs: [{ upgradeType: "websocket" }],
    // A client has a minute for its headers. There is no limit for bodies: Gateway API's timeouts are for routes to state.
    requestHeadersTimeout: durationFromMs(60_000),
    streamIdleTimeout: durationFromMs(300_000),
    commonHttpProtocolOptions: {
      idleTimeout: durationFromMs(3_600_000),
      // Envoy recommends to refuse such requests, but Gateway API lets routes match these headers.
      headersWithUnderscoresAction: HttpProtocolOptions_HeadersWithUnderscoresAction.ALLOW,
    },
    http2ProtocolOptions: {
      maxConcurrentStreams: 100,
      initialStreamWindowSize: 65_536,
      initialConnectionWindowSize: 1_048_576,
    },
  });
}

type Settings = Init<typeof HttpConnectionManagerSchema>;

/**
 * Clients come directly: their address is that of the connection, and no header of theirs is believed. Without an
 * `internal_address_config` no address is "internal"; with an empty one, Envoy 1.40 lets loopback steer it by `x-envoy-…`.
 */
const clientAddress: Settings = { useRemoteAddress: true };

/**
 * A path is brought into the one form that Gateway API lets a route state: without `//`, `/./`, `/../` and `%2F`. Otherwise
 * `/a//b` or `/a%2Fb` would pass by a rule for `/a/b` and still mean that to the backend. A path with an escaped slash is
 * answered with a redirect, so that client, proxy and backend agree on what is asked for, unless the administrator keeps it
 * (docs/adr/0007-escaped-slashes.md).
 */
const paths: Settings = { normalizePath: true, mergeSlashes: true };

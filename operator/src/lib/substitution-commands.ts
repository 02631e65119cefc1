/** What may stand in the parentheses of a command, and whether a length may follow. */
export type CommandForm = {
  readonly parameter: "none" | { readonly pattern: RegExp; readonly required: boolean; readonly form: string };
  readonly length: boolean;
};

const plain: CommandForm = { parameter: "none", length: false };
const time: CommandForm = {
  parameter: { pattern: /^[^\n]*$/, required: false, form: "a format of time" },
  length: false,
};
const header: CommandForm = {
  parameter: { pattern: /^:?[\w.-]+(\?:?[\w.-]+)?$/, required: true, form: "the name of a header" },
  length: true,
};
const path = (length: boolean): CommandForm => ({
  parameter: { pattern: /^.+$/, required: true, form: "a namespace and keys, as (ns:key)" },
  length,
});

const plainCommands = `
  ACCESS_LOG_TYPE
  BYTES_RECEIVED
  BYTES_RETRANSMITTED
  BYTES_SENT
  CONNECTION_ID
  CONNECTION_TERMINATION_DETAILS
  CUSTOM_FLAGS
  DOWNSTREAM_DECOMPRESSED_HEADER_BYTES_RECEIVED
  DOWNSTREAM_DECOMPRESSED_HEADER_BYTES_SENT
  DOWNSTREAM_DETECTED_CLOSE_TYPE
  DOWNSTREAM_DIRECT_LOCAL_ADDRESS
  DOWNSTREAM_DIRECT_LOCAL_ADDRESS_ENDPOINT_ID
  DOWNSTREAM_DIRECT_LOCAL_ADDRESS_WITHOUT_PORT
  DOWNSTREAM_DIRECT_LOCAL_PORT
  DOWNSTREAM_DIRECT_REMOTE_ADDRESS
  DOWNSTREAM_DIRECT_REMOTE_ADDRESS_WITHOUT_PORT
  DOWNSTREAM_DIRECT_REMOTE_PORT
  DOWNSTREAM_HANDSHAKE_DURATION
  DOWNSTREAM_HEADER_BYTES_RECEIVED
  DOWNSTREAM_HEADER_BYTES_SENT
  DOWNSTREAM_LOCAL_ADDRESS
  DOWNSTREAM_LOCAL_ADDRESS_ENDPOINT_ID
  DOWNSTREAM_LOCAL_ADDRESS_WITHOUT_PORT
  DOWNSTREAM_LOCAL_CLOSE_REASON
  DOWNSTREAM_LOCAL_DNS_SAN
  DOWNSTREAM_LOCAL_EMAIL_SAN
  DOWNSTREAM_LOCAL_IP_SAN
  DOWNSTREAM_LOCAL_OTHERNAME_SAN
  DOWNSTREAM_LOCAL_PORT
  DOWNSTREAM_LOCAL_SUBJECT
  DOWNSTREAM_LOCAL_URI_SAN
  DOWNSTREAM_PEER_CERT
  DOWNSTREAM_PEER_CHAIN_FINGERPRINTS_1
  DOWNSTREAM_PEER_CHAIN_FINGERPRINTS_256
  DOWNSTREAM_PEER_CHAIN_SERIALS
  DOWNSTREAM_PEER_DNS_SAN
  DOWNSTREAM_PEER_EMAIL_SAN
  DOWNSTREAM_PEER_FINGERPRINT_1
  DOWNSTREAM_PEER_FINGERPRINT_256
  DOWNSTREAM_PEER_IP_SAN
  DOWNSTREAM_PEER_ISSUER
  DOWNSTREAM_PEER_OTHERNAME_SAN
  DOWNSTREAM_PEER_SERIAL
  DOWNSTREAM_PEER_SUBJECT
  DOWNSTREAM_PEER_URI_SAN
  DOWNSTREAM_REMOTE_ADDRESS
  DOWNSTREAM_REMOTE_ADDRESS_WITHOUT_PORT
  DOWNSTREAM_REMOTE_PORT
  DOWNSTREAM_TLS_CIPHER
  DOWNSTREAM_TLS_SESSION_ID
  DOWNSTREAM_TLS_VERSION
  DOWNSTREAM_TRANSPORT_FAILURE_REASON
  DOWNSTREAM_WIRE_BYTES_RECEIVED
  DOWNSTREAM_WIRE_BYTES_SENT
  DURATION
  FILTER_CHAIN_NAME
  GRPC_STATUS_NUMBER
  HOSTNAME
  LOCAL_REPLY_BODY
  PACKETS_RETRANSMITTED
  PROTOCOL
  REQUESTED_SERVER_NAME
  REQUEST_DURATION
  REQUEST_HEADERS_BYTES
  REQUEST_TX_DURATION
  RESPONSE_CODE
  RESPONSE_CODE_DETAILS
  RESPONSE_DURATION
  RESPONSE_FLAGS
  RESPONSE_FLAGS_LONG
  RESPONSE_HEADERS_BYTES
  RESPONSE_TRAILERS_BYTES
  RESPONSE_TX_DURATION
  ROUNDTRIP_DURATION
  ROUTE_NAME
  SPAN_ID
  STREAM_ID
  TLS_JA3_FINGERPRINT
  TLS_JA4_FINGERPRINT
  TRACE_ID
  UNIQUE_ID
  UPSTREAM_CLUSTER
  UPSTREAM_CLUSTER_RAW
  UPSTREAM_CONNECTION_ID
  UPSTREAM_CONNECTION_IDS_ATTEMPTED
  UPSTREAM_CONNECTION_POOL_READY_DURATION
  UPSTREAM_DECOMPRESSED_HEADER_BYTES_RECEIVED
  UPSTREAM_DECOMPRESSED_HEADER_BYTES_SENT
  UPSTREAM_DETECTED_CLOSE_TYPE
  UPSTREAM_HEADER_BYTES_RECEIVED
  UPSTREAM_HEADER_BYTES_SENT
  UPSTREAM_HOST
  UPSTREAM_HOSTS_ATTEMPTED
  UPSTREAM_HOST_NAME
  UPSTREAM_HOST_NAMES_ATTEMPTED
  UPSTREAM_HOST_NAME_WITHOUT_PORT
  UPSTREAM_LOCAL_ADDRESS
  UPSTREAM_LOCAL_ADDRESS_WITHOUT_PORT
  UPSTREAM_LOCAL_CLOSE_REASON
  UPSTREAM_LOCAL_DNS_SAN
  UPSTREAM_LOCAL_IP_SAN
  UPSTREAM_LOCAL_PORT
  UPSTREAM_LOCAL_URI_SAN
  UPSTREAM_PEER_CERT
  UPSTREAM_PEER_DNS_SAN
  UPSTREAM_PEER_IP_SAN
  UPSTREAM_PEER_ISSUER
  UPSTREAM_PEER_SUBJECT
  UPSTREAM_PEER_URI_SAN
  UPSTREAM_PROTOCOL
  UPSTREAM_REMOTE_ADDRESS
  UPSTREAM_REMOTE_ADDRESS_ENDPOINT_ID
  UPSTREAM_REMOTE_ADDRESS_WITHOUT_PORT
  UPSTREAM_REMOTE_PORT
  UPSTREAM_REQUEST_ATTEMPT_COUNT
  UPSTREAM_SERVER_NAME
  UPSTREAM_TLS_CIPHER
  UPSTREAM_TLS_SESSION_ID
  UPSTREAM_TLS_VERSION
  UPSTREAM_TRANSPORT_FAILURE_REASON
  UPSTREAM_WIRE_BYTES_RECEIVED
  UPSTREAM_WIRE_BYTES_SENT
  VIRTUAL_CLUSTER_NAME
`;

/** Commands that Envoy takes and we do not: they have an argument that only Envoy can check. */
export const unsupportedCommands: ReadonlySet<string> = new Set(["CEL", "TYPED_CEL", "COALESCE"]);

const filterState: CommandForm = {
  parameter: { pattern: /^[^:]+(:(PLAIN|TYPED|FIELD:.+))?$/, required: true, form: "a key, as (key:PLAIN)" },
  length: true,
};

/** Commands that reach beyond the request: for access logs, not for headers. */
export const logCommands: ReadonlyMap<string, CommandForm> = new Map<string, CommandForm>([
  [
    "ENVIRONMENT",
    { parameter: { pattern: /^.+$/, required: true, form: "the name of an environment variable" }, length: true },
  ],
  [
    "METADATA",
    {
      parameter: {
        pattern: /^(DYNAMIC|CLUSTER|ROUTE|UPSTREAM_HOST|LISTENER|VIRTUAL_HOST|LISTENER_FILTER_CHAIN)(:.+)?$/,
        required: true,
        form: "a place, a namespace and keys, as (ROUTE:ns:key)",
      },
      length: true,
    },
  ],
  ["FILTER_STATE", filterState],
  ["UPSTREAM_FILTER_STATE", filterState],
]);

/**
 * The commands of Envoy's substitution formatter that a header or an access log may use, as Envoy 1.40 takes them.
 *
 * https://www.envoyproxy.io/docs/envoy/v1.40.0/configuration/advanced/substitution_formatter
 */
export const formatCommands: ReadonlyMap<string, CommandForm> = new Map<string, CommandForm>([
  ...plainCommands
    .trim()
    .split(/\s+/)
    .map((name): [string, CommandForm] => [name, plain]),
  ["START_TIME", time],
  ["START_TIME_LOCAL", time],
  ["EMIT_TIME", time],
  ["EMIT_TIME_LOCAL", time],
  ["DOWNSTREAM_PEER_CERT_V_START", time],
  ["DOWNSTREAM_PEER_CERT_V_END", time],
  ["UPSTREAM_PEER_CERT_V_START", time],
  ["UPSTREAM_PEER_CERT_V_END", time],
  ["REQ", header],
  ["RESP", header],
  ["TRAILER", header],
  ["REQUEST_HEADER", header],
  ["RESPONSE_HEADER", header],
  ["RESPONSE_TRAILER", header],
  ["DYNAMIC_METADATA", path(true)],
  ["CLUSTER_METADATA", path(false)],
  ["UPSTREAM_METADATA", path(false)],
  ["QUERY_PARAM", { parameter: { pattern: /^.+$/, required: true, form: "the name of a parameter" }, length: true }],
  [
    "QUERY_PARAMS",
    { parameter: { pattern: /^(ORIG|DECODED)$/, required: false, form: "ORIG or DECODED" }, length: true },
  ],
  [
    "PATH",
    {
      parameter: { pattern: /^(WQ|NQ)(:(ORIG|PATH|ORIG_OR_PATH))?$/, required: false, form: "WQ or NQ, as (NQ:PATH)" },
      length: true,
    },
  ],
  [
    "GRPC_STATUS",
    {
      parameter: {
        pattern: /^(CAMEL_STRING|SNAKE_STRING|NUMBER)$/,
        required: false,
        form: "CAMEL_STRING, SNAKE_STRING or NUMBER",
      },
      length: false,
    },
  ],
  [
    "COMMON_DURATION",
    {
      parameter: {
        pattern: /^\w+:\w+(:(ms|us|ns))?$/,
        required: true,
        form: "two points in time, as (DS_RX_BEG:DS_TX_END:ms)",
      },
      length: false,
    },
  ],
]);

import type { Any } from "@bufbuild/protobuf/wkt";
import type { AccessLogSchema } from "@gatewright/crd-types/proto/envoy/config/accesslog/v3/accesslog_pb";
import { FileAccessLogSchema } from "@gatewright/crd-types/proto/envoy/extensions/access_loggers/file/v3/file_pb";
import { StdoutAccessLogSchema } from "@gatewright/crd-types/proto/envoy/extensions/access_loggers/stream/v3/stream_pb";
import type { AccessLog } from "../ir/index.ts";
import { packAny } from "./proto/index.ts";
import type { Init } from "./init.ts";

/** Envoy's own format, and what leads from a line to the object behind it: the route's name and the cluster's. */
const defaultFormat = [
  "[%START_TIME%]",
  '"%REQ(:METHOD)% %REQ(X-ENVOY-ORIGINAL-PATH?:PATH)% %PROTOCOL%"',
  "%RESPONSE_CODE% %RESPONSE_FLAGS% %RESPONSE_CODE_DETAILS%",
  "%BYTES_RECEIVED% %BYTES_SENT% %DURATION%",
  '"%DOWNSTREAM_REMOTE_ADDRESS%" "%REQ(:AUTHORITY)%" "%REQ(USER-AGENT)%" "%REQ(X-REQUEST-ID)%"',
  '"%ROUTE_NAME%" "%UPSTREAM_CLUSTER%" "%UPSTREAM_HOST%"',
].join(" ");

export function buildAccessLog({ path, format = defaultFormat, json }: AccessLog): Init<typeof AccessLogSchema> {
  const accessLogFormat = {
    case: "logFormat",
    value: { format: json ? jsonFormat(json) : textFormat(format) },
  } as const;
  const typed = (config: Any) => ({ configType: { case: "typedConfig", value: config } }) as const;
  return path === "stdout"
    ? { name: "envoy.access_loggers.stdout", ...typed(packAny(StdoutAccessLogSchema, { accessLogFormat })) }
    : { name: "envoy.access_loggers.file", ...typed(packAny(FileAccessLogSchema, { path, accessLogFormat })) };
}

const textFormat = (format: string) => {
  const inlineString = format.endsWith("\n") ? format : `${format}\n`;
  return { case: "textFormatSource", value: { specifier: { case: "inlineString", value: inlineString } } } as const;
};

/** Members in the order of their names: equal configuration is equal bytes. Envoy ends the lines by itself. */
const jsonFormat = (members: NonNullable<AccessLog["json"]>) => {
  const sorted = Object.entries(members).toSorted(([left], [right]) => (left < right ? -1 : 1));
  return { case: "jsonFormat", value: Object.fromEntries(sorted) } as const;
};

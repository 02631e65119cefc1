export { isAnyAddress } from "./any-address.ts";
export { userCacheFolder } from "./cache-folder.ts";
export { type Clock, systemClock } from "./clock.ts";
export {
  createLogger,
  type LogFormat,
  logFormats,
  type LoggerOptions,
  type LogLevel,
  logLevels,
} from "./create-logger.ts";
export { type DerElement, derElements } from "./der.ts";
export { deepEqual } from "./equal.ts";
export { type Fields, fieldsOf, isFields, listOf, textOf } from "./fields.ts";
export { framingHeaders, isFraming, isHeaderValue, isToken } from "./header-syntax.ts";
export {
  type Changes,
  createGraph,
  type DerivedOptions,
  type Graph,
  type GraphOptions,
  type Source,
  type Table,
} from "./incremental.ts";
export { type Logger, silentLogger } from "./logger.ts";
export { parsePem, type PemBlock } from "./pem.ts";
export { parseQuantity } from "./quantity.ts";
export { messageOf } from "./message-of.ts";
export { parseRegex, type Regex, regexProblem } from "./regex.ts";
export { Sensitive } from "./sensitive.ts";
export { type FormatPlace, type FormatProblem, formatProblem } from "./substitution.ts";
export { maxTrustBundleBytes, readTrustBundle, type TrustBundleReading } from "./trust-bundle.ts";

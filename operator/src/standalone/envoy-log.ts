import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import type { Logger } from "../lib/index.ts";

/** Envoy's flag for the format that `forwardLog` reads: one line a message, whatever is in it. */
export const logFormatFlags = ["--log-format", "[%l][%n] %v", "--log-format-escaped"] as const;

// Said at every start or stop and of no use here, or said by us already, better and without the resource's whole text.
const expected = [
  "There is no configured limit to the number of allowed active downstream connections",
  "caught ENVOY_SIGTERM",
  "gRPC config for type.googleapis.com/",
  "AggregatedResources gRPC config stream to",
];

const maxChars = 400;

/** Passes what Envoy says on to our log: warnings and errors as such, all else at debug level. */
export function forwardLog(stream: Readable, logger: Logger): void {
  createInterface({ input: stream }).on("line", (line) => {
    const [, level = "", component = "", words = ""] = /^\[(\w+)\]\[([\w-]+)\] (.*)$/.exec(line) ?? [
      "",
      "error",
      "",
      line,
    ];
    // Envoy's errors may carry a whole resource.
    const message = words.length > maxChars ? `${words.slice(0, maxChars)}…` : words;
    if (message === "") return;
    const fields = component === "" ? {} : { component };
    const isExpected = expected.some((phrase) => message.includes(phrase));
    if (isExpected || !/^(warning|warn|error|critical)$/.test(level)) logger.debug(fields, `envoy: ${message}`);
    else if (level.startsWith("warn")) logger.warn(fields, `envoy: ${message}`);
    else logger.error(fields, `envoy: ${message}`);
  });
}

import { inspect } from "node:util";
import pino from "pino";
import type { Logger } from "./logger.ts";

export const logLevels = ["debug", "info", "warn", "error", "silent"] as const;
export type LogLevel = (typeof logLevels)[number];

export const logFormats = ["text", "json"] as const;
export type LogFormat = (typeof logFormats)[number];

export type LoggerOptions = {
  readonly level: LogLevel;
  /** `text` for people; `json`, one object a line, for programs. */
  readonly format: LogFormat;
  /** Takes lines, each with its line break. */
  readonly write: (line: string) => void;
};

export function createLogger({ level, format, write }: LoggerOptions): Logger {
  if (format === "text") return textLogger(level, write, {});
  const options = { level, base: {}, timestamp: pino.stdTimeFunctions.isoTime, formatters: { level: labelled } };
  return pino(options, { write });
}

const labelled = (label: string) => ({ level: label });

function textLogger(level: LogLevel, write: (line: string) => void, bound: Record<string, unknown>): Logger {
  const say = (at: Exclude<LogLevel, "silent">) => (fields: object, message: string) => {
    if (logLevels.indexOf(at) < logLevels.indexOf(level)) return;
    const time = new Date().toTimeString().slice(0, 8);
    write(`${time} ${at.toUpperCase().padEnd(5)} ${message}${formatFields({ ...bound, ...fields })}\n`);
  };
  return {
    debug: say("debug"),
    info: say("info"),
    warn: say("warn"),
    error: say("error"),
    child: (fields) => textLogger(level, write, { ...bound, ...fields }),
  };
}

function formatFields(fields: Record<string, unknown>): string {
  const parts = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${formatValue(value)}`],
  );
  return parts.length === 0 ? "" : `  (${parts.join(" ")})`;
}

function formatValue(value: unknown): string {
  if (typeof value === "string") return /^[\w./:|@+*-]+$/.test(value) ? value : JSON.stringify(value);
  if (value instanceof Error) return value.stack ?? value.message;
  return inspect(value, { breakLength: Number.POSITIVE_INFINITY });
}

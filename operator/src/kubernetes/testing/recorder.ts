import type { Logger } from "../../lib/index.ts";

type Level = "debug" | "info" | "warn" | "error";

export type Recorder = { readonly logger: Logger; readonly lines: (level: Level) => readonly string[] };

/** A logger that keeps what it is told. */
export function createRecorder(): Recorder {
  const kept: { readonly level: Level; readonly message: string }[] = [];
  const record = (level: Level) => (_fields: object, message: string) => {
    kept.push({ level, message });
  };
  const logger: Logger = {
    debug: record("debug"),
    info: record("info"),
    warn: record("warn"),
    error: record("error"),
    child: () => logger,
  };
  return { logger, lines: (level) => kept.filter((line) => line.level === level).map(({ message }) => message) };
}

import type { Logger } from "../../lib/index.ts";

type Level = "debug" | "info" | "warn" | "error";

export type Recorder = {
  readonly logger: Logger;
  readonly lines: (level: Level) => string[];
  readonly clear: () => void;
};

/** A logger that keeps what it is told. */
export function createRecorder(): Recorder {
  let lines: { readonly level: Level; readonly message: string }[] = [];
  const record = (level: Level) => (_fields: object, message: string) => {
    lines.push({ level, message });
  };
  const logger: Logger = {
    debug: record("debug"),
    info: record("info"),
    warn: record("warn"),
    error: record("error"),
    child: () => logger,
  };
  return {
    logger,
    lines: (level) => lines.filter((line) => line.level === level).map(({ message }) => message),
    clear: () => {
      lines = [];
    },
  };
}

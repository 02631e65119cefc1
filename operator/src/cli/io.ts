import type { Terminal } from "../standalone/index.ts";
import { endSignals } from "./end-signals.ts";

/** The world of a command: what it writes to and reads from. Tests give their own. */
export type Io = {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** All of standard input; of one that is larger than any manifest, as much as shows it. */
  readonly readStdin: () => Promise<Uint8Array>;
  readonly env: NodeJS.ProcessEnv;
  /** Standard output, where it is a terminal. */
  readonly terminal: Terminal | undefined;
  /** Calls `listener` whenever the user or the system asks the process to end; returns how to stop that. */
  readonly onEndRequest: (listener: () => void) => () => void;
};

/** More than a source takes for one file. Spelled out, so that help need not load the product. */
const maxStdinBytes = 64 * 1024 * 1024;

export const processIo: Io = {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  readStdin: async () => {
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of process.stdin) {
      chunks.push(Buffer.from(chunk));
      size += chunk.length;
      if (size > maxStdinBytes) break;
    }
    return Buffer.concat(chunks);
  },
  env: process.env,
  terminal: process.stdout.isTTY ? process.stdout : undefined,
  onEndRequest: (listener) => {
    for (const signal of endSignals) process.on(signal, listener);
    return () => {
      for (const signal of endSignals) process.off(signal, listener);
    };
  },
};

/** What a command ends with. */
export const exitCodes = {
  ok: 0,
  /** It ran, and what it was given has problems. */
  problems: 1,
  /** It could not run: wrong usage, nothing to read, no Envoy. */
  failed: 2,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** Takes a command's exit code, which commander has no place for. */
export type Finish = (code: ExitCode) => void;

import type { Io } from "../../operator/src/cli/index.ts";

export type CapturedIo = Io & { readonly written: () => string; readonly complaints: () => string };

/** Keeps what a command writes. */
export function captureIo(stdin: string | Uint8Array = "", env: NodeJS.ProcessEnv = process.env): CapturedIo {
  let out = "";
  let err = "";
  return {
    out: (text) => (out += text),
    err: (text) => (err += text),
    readStdin: async () => Buffer.from(stdin),
    env,
    terminal: undefined,
    onEndRequest: () => () => undefined,
    written: () => out,
    complaints: () => err,
  };
}

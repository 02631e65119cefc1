import { isUtf8 } from "node:buffer";

export type Undecodable = { readonly message: string; readonly line?: number };

/** UTF-8 with or without a byte order mark; else what is wrong with it, and in which line. */
export function decode(bytes: Uint8Array): string | Undecodable {
  if (isUtf8(bytes)) return new TextDecoder("utf-8").decode(bytes);
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff))
    return { message: "the file is UTF-16: save it as UTF-8" };
  const { line, byte } = findFault(bytes);
  // Bytes that are no UTF-8 are most often letters of Windows or Latin-1.
  const char = new TextDecoder("windows-1252").decode(Uint8Array.of(byte));
  return {
    line,
    message: `the file is not UTF-8: byte 0x${byte.toString(16)} would be ${char} in Windows-1252; save it as UTF-8`,
  };
}

function findFault(bytes: Uint8Array): { readonly line: number; readonly byte: number } {
  let line = 1;
  for (let start = 0; start < bytes.length; line++) {
    const next = bytes.indexOf(10, start);
    const end = next === -1 ? bytes.length : next + 1;
    const text = bytes.subarray(start, end);
    if (!isUtf8(text)) return { line, byte: firstWrong(text) };
    start = end;
  }
  return { line, byte: 0 };
}

/** The byte that begins what is no character. */
function firstWrong(text: Uint8Array): number {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    try {
      if (decoder.decode(text.subarray(at, at + 1), { stream: true }) !== "") start = at + 1;
    } catch {
      break;
    }
  }
  return text[start] ?? 0;
}

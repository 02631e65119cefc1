/** Bytes as Go's `encoding/base64.StdEncoding` reads them, which the API server uses; `failedAt` counts characters from 0. */
export type Decoded =
  | { readonly kind: "bytes"; readonly bytes: Buffer }
  | { readonly kind: "corrupt"; readonly failedAt: number };

/** Line breaks count for nothing, wherever they stand; everything else must be in place: no blanks, full padding. */
export function decodeBase64(text: string): Decoded {
  const compact = text.replaceAll(/[\r\n]/g, "");
  const good = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?/.exec(compact)?.[0].length ?? 0;
  if (good === compact.length) return { kind: "bytes", bytes: Buffer.from(compact, "base64") };
  return { kind: "corrupt", failedAt: firstFault(text) };
}

/** Where Go says that it failed: at the first character that cannot be there, else at the end. */
function firstFault(text: string): number {
  let inQuad = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at);
    if (char === "\r" || char === "\n") continue;
    if (/[A-Za-z0-9+/]/.test(char)) inQuad = (inQuad + 1) % 4;
    else return at;
  }
  return Math.max(0, text.length - inQuad);
}

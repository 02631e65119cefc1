export type PemBlock = { readonly label: string; readonly text: string };

const begin = "-----BEGIN ";
const dashes = "-----";

/**
 * The blocks of a PEM text, whatever stands around them (RFC 7468); undefined where one begins and does not end. Takes one
 * pass: the text is a stranger's, and as long as a Secret can be.
 */
export function parsePem(text: string): readonly PemBlock[] | undefined {
  const blocks: PemBlock[] = [];
  for (let at = text.indexOf(begin); at !== -1; ) {
    const next = text.indexOf(begin, at + begin.length);
    const piece = text.slice(at, next === -1 ? undefined : next);
    const labelEnd = piece.indexOf(dashes, begin.length);
    const label = piece.slice(begin.length, labelEnd);
    const endMark = `-----END ${label}-----`;
    const end = labelEnd === -1 ? -1 : piece.indexOf(endMark, labelEnd);
    if (end === -1) return undefined;
    blocks.push({ label, text: piece.slice(0, end + endMark.length) });
    at = next;
  }
  return blocks;
}

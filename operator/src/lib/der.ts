/** One element of a text in DER. https://www.itu.int/rec/T-REC-X.690 */
export type DerElement = { readonly tag: number; readonly content: Buffer };

/** The elements of a text in DER; none where it is in another form, which OpenSSL takes for once. */
export function derElements(der: Buffer = Buffer.alloc(0)): readonly DerElement[] {
  const elements: DerElement[] = [];
  for (let at = 0; at < der.length; ) {
    if (at + 2 > der.length) return [];
    const tag = der.readUInt8(at);
    const first = der.readUInt8(at + 1);
    const lengthBytes = first < longForm ? 0 : first - longForm;
    const start = at + 2 + lengthBytes;
    if (first === longForm || lengthBytes > maxLengthBytes || start > der.length) return [];
    const length = lengthBytes === 0 ? first : der.readUIntBE(at + 2, lengthBytes);
    if (start + length > der.length) return [];
    elements.push({ tag, content: der.subarray(start, start + length) });
    at = start + length;
  }
  return elements;
}

const longForm = 0x80;
const maxLengthBytes = 4;

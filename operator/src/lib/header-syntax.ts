// What may stand in HTTP's header names and values, and which headers are nobody's to change. Files do not pass an API server that checks it.

/** https://www.rfc-editor.org/rfc/rfc9110#name-tokens */
export const isToken = (text: string): boolean => /^[A-Za-z0-9!#$%&'*+\-.^_`|~]{1,256}$/.test(text);

/** Anything but control characters; a tab is allowed. Envoy refuses a configuration with others. */
// oxlint-disable-next-line no-control-regex -- control characters are the point
export const isHeaderValue = (text: string): boolean => text.length <= 16_384 && !/[\x00-\x08\x0a-\x1f\x7f]/.test(text);

/** Those of which `isFraming` is true, in lower case. */
export const framingHeaders: readonly string[] = [
  "connection",
  "content-length",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
];

const framing: ReadonlySet<string> = new Set(framingHeaders);

/**
 * What Envoy manages itself, connection by connection. To change it breaks the framing of messages: a backend that is told another length
 * takes the next request on the connection, somebody else's, for the rest of the body.
 */
export const isFraming = (headerName: string): boolean => framing.has(headerName.toLowerCase());

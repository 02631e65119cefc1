// What may stand in HTTP's header names, values and hosts. Files do not pass an API server that checks it.

/** https://www.rfc-editor.org/rfc/rfc9110#name-tokens */
export const isToken = (text: string): boolean => /^[A-Za-z0-9!#$%&'*+\-.^_`|~]{1,256}$/.test(text);

/** Anything but control characters; a tab is allowed. Envoy refuses a configuration with others. */
// oxlint-disable-next-line no-control-regex -- control characters are the point
export const isHeaderValue = (text: string): boolean => text.length <= 16_384 && !/[\x00-\x08\x0a-\x1f\x7f]/.test(text);

/** A precise hostname, as Gateway API spells it. */
export const isPreciseHostname = (text: string): boolean =>
  text.length <= 253 && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/.test(text);

/** A path to go to: absolute, without query, fragment, blanks or control characters. */
// oxlint-disable-next-line no-control-regex -- control characters are the point
export const isAbsolutePath = (text: string): boolean => /^\/[^\x00-\x20\x7f?#]*$/.test(text) && text.length <= 1024;

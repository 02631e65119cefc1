// What may stand in hosts and paths. Files do not pass an API server that checks it.

/** A precise hostname, as Gateway API spells it. */
export const isPreciseHostname = (text: string): boolean =>
  text.length <= 253 && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/.test(text);

/** A path to go to: absolute, without query, fragment, blanks or control characters. */
// oxlint-disable-next-line no-control-regex -- control characters are the point
export const isAbsolutePath = (text: string): boolean => /^\/[^\x00-\x20\x7f?#]*$/.test(text) && text.length <= 1024;

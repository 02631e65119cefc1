import { hash } from "node:crypto";

/**
 * A version of 11 characters that says what is in a resource. 66 bits of SHA-256: on the processors of today it costs
 * 2 µs for a virtual host and needs no library, and nobody can craft an edit that keeps the version and so stays unsent.
 */
export const contentVersion = (content: string | Uint8Array): string =>
  hash("sha256", content, "base64url").slice(0, 11);

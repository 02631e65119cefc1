import { messageOf } from "../lib/index.ts";
import { ApiUnreachableError } from "./api-server.ts";

const explanations: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused: nothing listens there",
  ECONNRESET: "the connection broke",
  EPIPE: "the connection broke",
  ENOTFOUND: "its name is not known (DNS)",
  EAI_AGAIN: "its name cannot be resolved now (DNS)",
  EHOSTUNREACH: "no way leads there",
  ENETUNREACH: "no way leads there",
  ETIMEDOUT: "no answer to the attempt to connect",
  EPROTO: "it does not speak TLS as expected: is it https?",
  HPE_INVALID_CONSTANT: "it does not speak HTTP: is it https?",
  CERT_HAS_EXPIRED: "its certificate has expired",
  CERT_NOT_YET_VALID: "its certificate is not valid yet: is the clock right?",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for other names",
  DEPTH_ZERO_SELF_SIGNED_CERT: "the given certificate authority (CA) did not sign its certificate",
  SELF_SIGNED_CERT_IN_CHAIN: "the given certificate authority (CA) did not sign its certificate",
  UNABLE_TO_GET_ISSUER_CERT: "the given certificate authority (CA) did not sign its certificate",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "the given certificate authority (CA) did not sign its certificate",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "the given certificate authority (CA) did not sign its certificate",
  CERT_SIGNATURE_FAILURE: "the given certificate authority (CA) did not sign its certificate",
};

/** An error of connecting or reading in words that say what to look at. */
export function unreachable(address: string, error: unknown): ApiUnreachableError {
  if (error instanceof ApiUnreachableError) return error;
  const code = codeOf(error);
  const explanation = code === undefined ? undefined : explanations[code];
  const said = explanation === undefined ? messageOf(error) : `${explanation} (${detail(code, error)})`;
  return new ApiUnreachableError(`the API server at ${address} cannot be reached: ${said}`, { cause: error });
}

const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;

/** Which names a certificate has is worth its place; what else Node says only repeats the explanation. */
const detail = (code: string | undefined, error: unknown): string =>
  code === "ERR_TLS_CERT_ALTNAME_INVALID" ? messageOf(error) : (code ?? "");

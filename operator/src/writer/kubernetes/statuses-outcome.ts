import {
  apiFailure,
  type ApiResponse,
  ApiUnreachableError,
  isOfEndingNamespace,
  isSuccess,
} from "../../kubernetes/index.ts";

/** What came of a request for one object. */
export type Outcome =
  | { readonly kind: "done"; readonly object: unknown }
  /** The object is newer than we knew. */
  | { readonly kind: "conflict" }
  | { readonly kind: "gone" }
  /** We may not; or nobody may, since the namespace is being deleted and nothing can be made in it. */
  | { readonly kind: "forbidden"; readonly message: string; readonly ofEndingNamespace: boolean }
  /** The server does not take what we want to write. */
  | { readonly kind: "refused"; readonly message: string }
  /** The server failed with this object. */
  | { readonly kind: "failed"; readonly message: string }
  /** The server serves nobody now: not reached, overloaded, starting. */
  | { readonly kind: "unavailable"; readonly message: string; readonly retryAfterMs?: number };

export async function outcomeOf(request: Promise<ApiResponse>): Promise<Outcome> {
  let response: ApiResponse;
  try {
    response = await request;
  } catch (error) {
    if (!(error instanceof ApiUnreachableError)) throw error;
    return { kind: "unavailable", message: error.message };
  }
  if (isSuccess(response)) return { kind: "done", object: response.body };
  const message = apiFailure(response);
  switch (response.status) {
    case 404:
    case 410:
      return { kind: "gone" };
    case 409:
      return { kind: "conflict" };
    case 403:
      return { kind: "forbidden", message, ofEndingNamespace: isOfEndingNamespace(response) };
    // Credentials are the same for all objects, and are renewed by others.
    case 401:
    case 429:
    case 502:
    case 503:
    case 504:
      return {
        kind: "unavailable",
        message,
        ...(response.retryAfterMs !== undefined && { retryAfterMs: response.retryAfterMs }),
      };
    default:
      return response.status >= 400 && response.status < 500
        ? { kind: "refused", message }
        : { kind: "failed", message };
  }
}

/** Whether a JSON patch was refused because one of its tests failed: the server names no field then, and says only this. */
export const isFailedTest = (outcome: Outcome): boolean =>
  outcome.kind === "refused" &&
  /^422 .*the server rejected our request due to an error in our request/.test(outcome.message);

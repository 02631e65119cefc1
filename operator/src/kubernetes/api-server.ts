/** One Kubernetes API server, spoken to by HTTP: what list-watch, writers, discovery and leases stand on. */
export type ApiServer = {
  /** For messages, for example `https://10.96.0.1:443`. */
  readonly address: string;
  /** Resolves with whatever the server answers, errors too; rejects with `ApiUnreachableError` where no whole answer came. */
  readonly request: (request: ApiRequest) => Promise<ApiResponse>;
  /**
   * Sends a request whose answer has no end, a watch. Calls `onLine` for each whole line of the body, one after the other.
   * Resolves when the server ends the body, with the status (lines of an answer other than 2xx are in `body`, parsed);
   * rejects with `ApiUnreachableError` where the connection breaks, and with what `onLine` throws. Calls `onOpen` once the server
   * has answered with 2xx, which for a watch may be long before the first line.
   */
  readonly stream: (request: ApiRequest, onLine: (line: string) => void, onOpen?: () => void) => Promise<ApiResponse>;
  /** Ends connections; requests under way are rejected. */
  readonly close: () => void;
};

export type ApiRequest = {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Without the server's own prefix, for example `/apis/apps/v1/deployments`. See `resourcePath`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** `application/json` unless given; for patches `application/merge-patch+json`, `application/apply-patch+yaml`. */
  readonly contentType?: string;
  /** `application/json` unless given. */
  readonly accept?: string;
  readonly signal?: AbortSignal;
  /** For a request until the whole answer is there, for a stream between two bytes. 30,000 unless given. */
  readonly timeoutMs?: number;
};

export type ApiResponse = {
  readonly status: number;
  /** The parsed JSON; a string where it is none. */
  readonly body: unknown;
  /** What a `Retry-After` header asked for. */
  readonly retryAfterMs?: number;
  /** Length of the answer before it was parsed. */
  readonly bytes?: number;
};

/** No answer, or half of one: the server is down, slow, or refused the connection. */
export class ApiUnreachableError extends Error {
  override readonly name = "ApiUnreachableError";
}

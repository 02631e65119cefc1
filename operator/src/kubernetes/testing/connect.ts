import { type Logger, silentLogger } from "../../lib/index.ts";
import type { ApiServer } from "../api-server.ts";
import { createCredentials } from "../credentials.ts";
import { createHttpApiServer } from "../http-api-server.ts";

/** Speaks to a server over plain HTTP and without credentials. */
export function connectPlainly(server: string, logger: Logger = silentLogger): ApiServer {
  const credentials = createCredentials(() => Promise.resolve({ headers: {}, tls: {} }));
  return createHttpApiServer({ server, credentials, logger });
}

import { once } from "node:events";
import { createServer } from "node:net";

/** A TCP port of loopback that nobody listens on now. */
export async function freePort(address = "127.0.0.1"): Promise<number> {
  const server = createServer();
  server.listen(0, address);
  await once(server, "listening");
  const bound = server.address();
  server.close();
  await once(server, "close");
  if (bound === null || typeof bound === "string") throw new Error("no port");
  return bound.port;
}

import { once } from "node:events";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import type { Certificate } from "./certificates.ts";

export type TlsBackend = {
  readonly port: number;
  /** Shows another certificate from the next connection on. */
  readonly show: (certificate: Certificate) => void;
  /** Requests that came. */
  readonly requests: () => number;
  /** Connections that began without TLS. */
  readonly plaintext: () => number;
  readonly close: () => void;
};

/** A backend on loopback that speaks HTTP over TLS and answers `ok` to anything. */
export async function startTlsBackend(shown: Certificate): Promise<TlsBackend> {
  let plaintext = 0;
  let requests = 0;
  const contextOf = ({ certificate: cert, privateKey: key }: Certificate) => ({ cert, key });
  const server: Server = createServer(contextOf(shown), (_, response) => {
    requests++;
    response.end("ok");
  });
  server.on("tlsClientError", (error: NodeJS.ErrnoException) => {
    if (error.code === "ERR_SSL_HTTP_REQUEST") plaintext++;
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    show: (certificate) => server.setSecureContext(contextOf(certificate)),
    requests: () => requests,
    plaintext: () => plaintext,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

import { connect, type ConnectionOptions } from "node:tls";

export type TlsTarget = {
  readonly port: number;
  /** Sent as SNI and as `Host`. */
  readonly host: string;
  /** What the client shows. */
  readonly shows?: { readonly certificate: string; readonly privateKey: string };
  /** Of an earlier connection, to be resumed. */
  readonly session?: Buffer;
  readonly maxVersion?: ConnectionOptions["maxVersion"];
};

export type TlsOutcome = {
  /** The HTTP status, or why there is none. */
  readonly answer: string;
  readonly resumed: boolean;
  readonly sessions: readonly Buffer[];
};

/** One HTTP/1.1 request over a TLS connection of its own, whoever the server is. Never throws. */
export function askByTls({ port, host, shows, session, maxVersion }: TlsTarget): Promise<TlsOutcome> {
  return new Promise((resolve) => {
    const sessions: Buffer[] = [];
    let text = "";
    let resumed = false;
    const socket = connect({
      host: "127.0.0.1",
      port,
      servername: host,
      rejectUnauthorized: false,
      ALPNProtocols: ["http/1.1"],
      ...(shows && { cert: shows.certificate, key: shows.privateKey }),
      ...(session && { session }),
      ...(maxVersion && { maxVersion }),
    });
    const end = (answer: string) => {
      socket.destroy();
      resolve({ answer, resumed, sessions });
    };
    socket.setTimeout(10_000, () => end("nothing within 10 s"));
    socket.on("session", (made: Buffer) => sessions.push(made));
    socket.on("secureConnect", () => {
      resumed = socket.isSessionReused();
      socket.write(`GET / HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`);
    });
    socket.on("data", (chunk: Buffer) => (text += chunk.toString("latin1")));
    socket.on("error", (error: NodeJS.ErrnoException) => end(`error: ${error.code ?? error.message}`));
    socket.on("close", () => end(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? "error: closed without an answer"));
  });
}

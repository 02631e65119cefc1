import { constants, type IncomingHttpHeaders, type ServerHttp2Stream } from "node:http2";
import { type PeerCertificate, TLSSocket } from "node:tls";
import { Deframer } from "./framing.ts";
import { encodeDetails, type Status, status } from "./status.ts";

/** Who is at the other end of a connection, as far as the transport can tell. */
export type Peer = {
  /** `host:port`, or `unknown` for a Unix socket. */
  readonly address: string;
  /** What the client proved itself with, over TLS. */
  readonly certificate: PeerCertificate | undefined;
};

/** A call of a method that streams both ways. */
export type Call = {
  readonly peer: () => Peer;
  /** Sends a framed message after those before it. `onTaken` is told of its bytes as the network takes them, piece by piece. */
  readonly send: (framed: Buffer, onTaken: (bytes: number) => void) => void;
  /** While paused, requests stay in the network. */
  readonly pause: () => void;
  readonly resume: () => void;
  /** Ends the call when all is sent. */
  readonly end: (code: Status, details: string) => void;
  /** Closes the connection of a client that does not read. */
  readonly cut: () => void;
};

export type CallHandlers = {
  readonly onMessage: (message: Buffer) => void;
  /** The call has ended, however it came about. Called once; nothing is told after. */
  readonly onEnd: (reason: string) => void;
};

/**
 * Messages are shared by all who are sent them, and written in pieces: TLS keeps a buffer for each connection for as long as it stands,
 * as large as the most that was ever written at once.
 */
const pieceBytes = 16 * 1024;

type Outgoing = { readonly bytes: Buffer; readonly onTaken: (bytes: number) => void };

export function createCall(
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  maxReceiveBytes: number,
  open: (call: Call) => CallHandlers,
): void {
  const outgoing: Outgoing[] = [];
  const deframer = new Deframer(maxReceiveBytes);
  let at = 0;
  let isWriting = false;
  let isOver = false;
  let ending: { readonly code: Status; readonly details: string } | undefined;

  function write(): void {
    const [next] = outgoing;
    if (isWriting || stream.destroyed) return;
    if (next === undefined) {
      if (ending !== undefined) stream.end();
      return;
    }
    const piece = next.bytes.subarray(at, at + pieceBytes);
    at += piece.length;
    if (at >= next.bytes.length) {
      outgoing.shift();
      at = 0;
    }
    isWriting = true;
    stream.write(piece, (error) => {
      isWriting = false;
      if (error !== undefined && error !== null) return;
      next.onTaken(piece.length);
      write();
    });
  }

  function over(reason: string): void {
    if (isOver) return;
    isOver = true;
    handlers.onEnd(reason);
  }

  function end(code: Status, details: string): void {
    if (ending !== undefined || stream.destroyed) return;
    ending = { code, details };
    over(details);
    stream.resume();
    write();
  }

  function receive(bytes: Buffer): void {
    if (isOver) return;
    const deframed = deframer.push(bytes);
    switch (deframed.kind) {
      case "compressed":
        return end(status.unimplemented, "compressed messages are not understood");
      case "too large":
        return end(status.resourceExhausted, `a message of more than ${maxReceiveBytes} bytes`);
      case "messages":
        for (const message of deframed.messages) if (!isOver) handlers.onMessage(message);
    }
  }

  const call: Call = {
    peer: () => peerOf(stream),
    send: (bytes, onTaken) => {
      if (isOver) return;
      outgoing.push({ bytes, onTaken });
      write();
    },
    pause: () => stream.pause(),
    resume: () => stream.resume(),
    end,
    cut: () => {
      over("cut off");
      stream.session?.destroy();
    },
  };
  stream.on("wantTrailers", () => {
    const { code, details } = ending ?? { code: status.ok, details: "" };
    stream.sendTrailers({ "grpc-status": String(code), "grpc-message": encodeDetails(details) });
    // What the client may still have to say is of no interest.
    setImmediate(() => stream.close(constants.NGHTTP2_NO_ERROR));
  });
  stream.on("error", (error) => over(error.message));
  stream.on("close", () => over("the connection broke or the client cancelled"));
  if (stream.destroyed || stream.closed) return;
  stream.respond(
    { ":status": 200, "content-type": "application/grpc", "grpc-accept-encoding": "identity" },
    { waitForTrailers: true },
  );
  const handlers = open(call);
  if ((headers["grpc-encoding"] ?? "identity") !== "identity")
    return end(status.unimplemented, "compressed messages are not understood");
  stream.on("data", receive);
  stream.on("end", () => {
    // A stream that is reset ends as well; it is destroyed by then.
    setImmediate(() => {
      if (isOver || stream.destroyed) return;
      over("the client closed it");
      ending ??= { code: status.ok, details: "" };
      outgoing.length = 0;
      write();
    });
  });
}

/** Answers a call that nobody takes. */
export function refuseCall(stream: ServerHttp2Stream, code: Status, details: string): void {
  stream.on("error", () => undefined);
  stream.respond(
    {
      ":status": 200,
      "content-type": "application/grpc",
      "grpc-status": String(code),
      "grpc-message": encodeDetails(details),
    },
    { endStream: true },
  );
}

function peerOf({ session }: ServerHttp2Stream): Peer {
  const socket = session?.socket;
  const { remoteAddress, remotePort } = socket ?? {};
  // Without a session there is none either; a certificate that nobody has signed ends the handshake.
  const certificate = socket instanceof TLSSocket && socket.authorized ? socket.getPeerCertificate() : undefined;
  return {
    address: remoteAddress === undefined ? "unknown" : `${remoteAddress}:${remotePort ?? 0}`,
    certificate: certificate?.raw === undefined ? undefined : certificate,
  };
}

import { type ServerDuplexStream, status } from "@grpc/grpc-js";
import type { PeerCertificate } from "node:tls";
import type { Logger } from "../lib/index.ts";
import { decodeRequest, type Node } from "./request-decoding.ts";
import type { Protocol, Stream } from "./stream.ts";

/** Who is at the other end of a connection, as far as the transport can tell. */
export type Peer = {
  /** As gRPC spells it. */
  readonly address: string;
  /** What the client proved itself with, over TLS. */
  readonly certificate: PeerCertificate | undefined;
};

export type Call = ServerDuplexStream<Buffer, Buffer>;

export type Admission =
  | { readonly kind: "admitted"; readonly stream: Stream; readonly logger: Logger }
  | { readonly kind: "refused"; readonly message: string };

export type ConnectionOptions = {
  readonly call: Call;
  readonly protocol: Protocol;
  readonly logger: Logger;
  /** Called once, with the first request. */
  readonly admit: (node: Node, peer: Peer) => Admission;
  /** The stream has ended, however it came about. Called once, if it was admitted. */
  readonly onEnd: (stream: Stream, reason: string) => void;
};

export type Connection = {
  /** Ends the stream with a status that tells the client why. */
  readonly end: (code: status, details: string) => void;
};

/** Ties one gRPC call to one stream: bytes in, requests; life and death. */
export function createConnection({ call, protocol, logger, admit, onEnd }: ConnectionOptions): Connection {
  let admission: Extract<Admission, { kind: "admitted" }> | undefined;
  let ended = false;

  function finish(reason: string): void {
    if (ended) return;
    ended = true;
    admission?.stream.close();
    if (admission !== undefined) onEnd(admission.stream, reason);
  }

  function end(code: status, details: string): void {
    if (ended) return;
    finish(details);
    call.emit("error", { code, details });
  }

  function take(bytes: Buffer): void {
    const decoded = decodeRequest(protocol, bytes);
    if (decoded.kind === "malformed") return end(status.INVALID_ARGUMENT, decoded.message);
    if (admission === undefined) {
      if (decoded.node === undefined || decoded.node.id === "")
        return end(status.INVALID_ARGUMENT, "the first request does not say which node it is from");
      const admitted = admit(decoded.node, peerOf(call));
      if (admitted.kind === "refused") return end(status.PERMISSION_DENIED, admitted.message);
      admission = admitted;
    }
    const { stream, logger: own } = admission;
    switch (stream.receive(decoded.request)) {
      case "too many":
        return end(status.RESOURCE_EXHAUSTED, "too many requests before the first response");
      case "ignored":
        own.debug({ typeUrl: decoded.request.typeUrl }, "nothing is sent: this type is not served here");
        return;
      case "taken":
        stream.run();
    }
  }

  call.on("data", (bytes: Buffer) => {
    if (ended) return;
    try {
      take(bytes);
    } catch (error) {
      logger.error({ err: error }, "a request could not be handled");
      end(status.INTERNAL, "the request could not be handled");
    }
  });
  call.on("end", () => {
    finish("the client closed it");
    call.end();
  });
  call.on("cancelled", () => finish("the connection broke or the client cancelled"));
  call.on("error", (error: Error) => finish(error.message));
  return { end };
}

function peerOf(call: Call): Peer {
  return { address: call.getPeer(), certificate: call.getAuthContext().sslPeerCertificate };
}

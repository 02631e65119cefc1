import type { Logger } from "../lib/index.ts";
import { type Call, type CallHandlers, type Peer, status } from "./grpc/index.ts";
import type { Pipe } from "./outflow.ts";
import { decodeRequest, type Node } from "./request-decoding.ts";
import type { Protocol, Stream } from "./stream.ts";

export type Admission =
  | { readonly kind: "admitted"; readonly stream: Stream; readonly logger: Logger }
  | { readonly kind: "refused"; readonly message: string };

export type ConnectionOptions = {
  readonly call: Call;
  readonly protocol: Protocol;
  readonly logger: Logger;
  /** Called once, with the first request. */
  readonly admit: (node: Node, peer: Peer) => Admission;
  /** There is something to do: `serve` is to follow. */
  readonly onRequest: () => void;
  /** The stream has ended, however it came about. Called once; without a stream, if it was not admitted. */
  readonly onEnd: (stream: Stream | undefined, reason: string) => void;
};

export type Connection = {
  /** Takes in what the client has said meanwhile, and sends what is due. */
  readonly serve: () => void;
  readonly send: (bytes: Buffer) => void;
  /** Ends the stream with a status that tells the client why. */
  readonly end: Call["end"];
  /** Ends the connection of a client that would not hear why. */
  readonly cut: (reason: string) => void;
  /** What the call tells. */
  readonly handlers: CallHandlers;
};

/** Requests of a client that wait for its turn; more of them stay in the network. */
const maxWaiting = 16;

/** Ties one gRPC call to one stream: bytes in, requests; life and death. */
export function createConnection(options: ConnectionOptions, pipe: Pipe): Connection {
  const { call, protocol, logger, admit, onRequest, onEnd } = options;
  let admission: Extract<Admission, { kind: "admitted" }> | undefined;
  let waiting: Buffer[] = [];
  let ended = false;
  let isPaused = false;

  function finish(reason: string): void {
    if (ended) return;
    ended = true;
    waiting = [];
    pipe.close();
    admission?.stream.close();
    onEnd(admission?.stream, reason);
  }

  const end: Call["end"] = (code, details) => {
    finish(details);
    call.end(code, details);
  };

  function take(bytes: Buffer): void {
    const decoded = decodeRequest(protocol, bytes);
    if (decoded.kind === "malformed") return end(status.invalidArgument, decoded.message);
    if (admission === undefined) {
      if (decoded.node === undefined || decoded.node.id === "")
        return end(status.invalidArgument, "the first request does not say which node it is from");
      const admitted = admit(decoded.node, call.peer());
      if (admitted.kind === "refused") return end(status.permissionDenied, admitted.message);
      admission = admitted;
    }
    const { stream, logger: own } = admission;
    switch (stream.receive(decoded.request)) {
      case "too many":
        return end(status.resourceExhausted, "too many requests before the first response");
      case "ignored":
        own.debug({ typeUrl: decoded.request.typeUrl }, "nothing is sent: this type is not served here");
        return;
      case "taken":
    }
  }

  function serve(): void {
    if (ended) return;
    const requests = waiting;
    waiting = [];
    try {
      for (const bytes of requests) if (!ended) take(bytes);
      admission?.stream.run();
    } catch (error) {
      logger.error({ err: error }, "a client could not be served");
      end(status.internal, "the request could not be handled");
    }
    if (ended || !isPaused) return;
    isPaused = false;
    call.resume();
  }

  return {
    serve,
    send: (framed) => {
      pipe.wrote(framed.length);
      call.send(framed, pipe.drained);
    },
    end,
    cut: (reason) => {
      finish(reason);
      call.cut();
    },
    handlers: {
      onMessage: (bytes) => {
        if (ended) return;
        waiting.push(bytes);
        if (waiting.length >= maxWaiting && !isPaused) {
          isPaused = true;
          call.pause();
        }
        onRequest();
      },
      onEnd: finish,
    },
  };
}

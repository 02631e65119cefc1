import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { fromJson, toBinary, fromBinary, toJson, type JsonValue } from "@bufbuild/protobuf";
import { Server as GrpcServer, ServerCredentials } from "@grpc/grpc-js";
import { protoRegistry } from "../../operator/src/xds/proto/index.ts";

/** A server that says which requests may go on. It says no to those whose header `authorization` begins with `no`. */
export type AuthServer = {
  readonly port: number;
  /** What it was asked, the last one last. */
  readonly asked: () => readonly Asked[];
  readonly close: () => Promise<void>;
};

export type Asked = {
  readonly method: string;
  readonly path: string;
  readonly host: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
};

/** Over HTTP/1.1. What may go on gets `answers` as headers, and answers are 200. */
export async function startHttpAuth(answers: IncomingHttpHeaders): Promise<AuthServer> {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      const body = Buffer.concat(chunks).toString();
      asked.push({ method, path: url, host: headers.host ?? "", headers, body });
      if (headers.authorization?.startsWith("no") === true) {
        response.writeHead(401, { "x-denied": "by the auth server" });
        response.end("who are you?");
        return;
      }
      for (const [name, value = ""] of Object.entries(answers)) response.setHeader(name, value);
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { port: portOf(server), asked: () => asked, close: () => closed(server) };
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

const closed = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });

const messageOf = (name: string) => {
  const desc = protoRegistry().getMessage(`envoy.service.auth.v3.${name}`);
  if (desc === undefined) throw new Error(`Envoy's API has no ${name}`);
  return desc;
};

/** Over gRPC. `ok` is the `ok_response` of what may go on, in JSON. */
export async function startGrpcAuth(ok: JsonValue): Promise<AuthServer> {
  const asked: Asked[] = [];
  const server = new GrpcServer();
  const method = {
    path: "/envoy.service.auth.v3.Authorization/Check",
    requestStream: false,
    responseStream: false,
    requestDeserialize: (bytes: Buffer) =>
      toJson(messageOf("CheckRequest"), fromBinary(messageOf("CheckRequest"), bytes)),
    responseSerialize: (json: JsonValue) =>
      Buffer.from(toBinary(messageOf("CheckResponse"), fromJson(messageOf("CheckResponse"), json))),
    requestSerialize: (): Buffer => Buffer.alloc(0),
    responseDeserialize: (): JsonValue => ({}),
  };
  type Call = { readonly request: { readonly attributes?: { readonly request?: { readonly http?: Http } } } };
  type Http = {
    readonly method?: string;
    readonly path?: string;
    readonly host?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string;
  };
  server.addService(
    { check: method },
    {
      check: ({ request }: Call, callback: (error: null, answer: JsonValue) => void) => {
        const {
          method: verb = "",
          path = "",
          host = "",
          headers = {},
          body = "",
        } = request.attributes?.request?.http ?? {};
        asked.push({ method: verb, path, host, headers, body });
        const isDenied = headers["authorization"]?.startsWith("no") === true;
        callback(
          // oxlint-disable-next-line unicorn/no-null -- grpc-js asks for it
          null,
          isDenied
            ? { status: { code: 7 }, deniedResponse: { status: { code: "Unauthorized" }, body: "who are you?" } }
            : { status: { code: 0 }, okResponse: ok },
        );
      },
    },
  );
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  return { port, asked: () => asked, close: async () => server.forceShutdown() };
}

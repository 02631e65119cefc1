import assert from "node:assert/strict";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage } from "node:http";
import https, { type Server } from "node:https";
import { type AddressInfo, connect as connectTo, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TLSSocket } from "node:tls";
import { type Certificate, makeCertificate } from "../../../test/support/certificates.ts";
import { silentLogger } from "../lib/index.ts";
import type { ApiServer } from "./api-server.ts";
import { checkApiServer, type Cluster, connectToCluster, type ConnectOptions } from "./connect.ts";

/** An API server that knows some tokens and client certificates. */
type SecureServer = {
  readonly port: number;
  readonly authority: Certificate;
  readonly server: Server;
  readonly seen: IncomingMessage[];
  readonly tokens: Set<string>;
};

async function startSecureServer(): Promise<SecureServer> {
  const authority = makeCertificate({ dnsNames: ["ca"], authority: true });
  const { certificate, privateKey } = makeCertificate({
    dnsNames: ["kubernetes.default.svc"],
    addresses: ["127.0.0.1"],
    issuer: authority,
  });
  const seen: IncomingMessage[] = [];
  const tokens = new Set(["first"]);
  const options = {
    cert: certificate,
    key: privateKey,
    ca: authority.certificate,
    requestCert: true,
    rejectUnauthorized: false,
  };
  const server = https.createServer(options, (request, response) => {
    seen.push(request);
    const { authorization = "" } = request.headers;
    const isKnown = (request.socket as TLSSocket).authorized || tokens.has(authorization.replace(/^Bearer /, ""));
    const status = { kind: "Status", reason: "Unauthorized", message: "Unauthorized", code: 401 };
    response.writeHead(isKnown ? 200 : 401, { "content-type": "application/json" });
    response.end(JSON.stringify(isKnown ? { gitVersion: "v1.37.2" } : status));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { port: (server.address() as AddressInfo).port, authority, server, seen, tokens };
}

describe("connectToCluster()", function () {
  // The library that reads kubeconfigs takes its time to load.
  this.timeout(30_000);
  let secure: SecureServer;
  let folder: string;
  const apis: ApiServer[] = [];

  before(async () => {
    secure = await startSecureServer();
    folder = await mkdtemp(join(tmpdir(), "connect-test-"));
  });
  beforeEach(() => {
    secure.tokens.clear();
    secure.tokens.add("first");
    secure.seen.length = 0;
  });
  afterEach(() => {
    for (const api of apis.splice(0)) api.close();
  });
  after(async () => {
    secure.server.closeAllConnections();
    secure.server.close();
    await rm(folder, { recursive: true });
  });

  async function connect(options: Partial<ConnectOptions>): Promise<Cluster> {
    const cluster = await connectToCluster({ env: {}, logger: silentLogger, ...options });
    apis.push(cluster.api);
    return cluster;
  }

  const reachable = { kind: "reachable", version: "v1.37.2" };
  const refused = (address: string) => ({
    kind: "refused",
    message: `the API server at ${address} answered 401 Unauthorized: Unauthorized (the token or client certificate is not, or no longer, known there)`,
  });

  describe("in a pod", () => {
    let account: string;
    const env = () => ({ KUBERNETES_SERVICE_HOST: "127.0.0.1", KUBERNETES_SERVICE_PORT: String(secure.port) });

    beforeEach(async () => {
      account = await mkdtemp(join(folder, "account-"));
      await writeFile(join(account, "token"), "first\n");
      await writeFile(join(account, "ca.crt"), secure.authority.certificate);
      await writeFile(join(account, "namespace"), "gatewright-system");
    });

    it("goes with the service account", async () => {
      const { api, namespace } = await connect({ env: env(), serviceAccountFolder: account });
      assert.equal(api.address, `https://127.0.0.1:${secure.port}`);
      assert.equal(namespace, "gatewright-system");
      assert.deepEqual(await checkApiServer(api), reachable);
      assert.equal(secure.seen[0]?.headers.authorization, "Bearer first");
      const elsewhere = { ...env(), POD_NAMESPACE: "elsewhere" };
      assert.equal((await connect({ env: elsewhere, serviceAccountFolder: account })).namespace, "elsewhere");
    });

    it("takes a new token as soon as the old one is refused", async () => {
      const { api } = await connect({ env: env(), serviceAccountFolder: account });
      assert.deepEqual(await checkApiServer(api), reachable);
      secure.tokens.clear();
      secure.tokens.add("second");
      await writeFile(join(account, "token"), "second");
      const checks = await Promise.all(Array.from({ length: 5 }, () => checkApiServer(api)));
      assert.deepEqual(
        checks,
        Array.from({ length: 5 }, () => reachable),
      );
      assert.deepEqual(await checkApiServer(api), reachable);
      assert.equal(secure.seen.at(-1)?.headers.authorization, "Bearer second");
    });

    it("does without the files for a moment", async () => {
      const { api } = await connect({ env: env(), serviceAccountFolder: account });
      assert.deepEqual(await checkApiServer(api), reachable);
      await rm(join(account, "token"));
      secure.tokens.clear();
      assert.deepEqual(await checkApiServer(api), refused(api.address));
      secure.tokens.add("first");
      assert.deepEqual(await checkApiServer(api), reachable);
    });

    it("trusts nobody but the cluster's authority", async () => {
      await writeFile(join(account, "ca.crt"), makeCertificate({ dnsNames: ["other"], authority: true }).certificate);
      const { api } = await connect({ env: env(), serviceAccountFolder: account });
      const check = await checkApiServer(api);
      assert.equal(check.kind, "unreachable");
      assert.match(
        check.kind === "unreachable" ? check.message : "",
        /cannot be reached: the given certificate authority \(CA\) did not sign its certificate/,
      );
    });

    it("says that it is not in a pod", async () => {
      await rm(join(account, "token"));
      await assert.rejects(
        connect({ env: { ...env(), HOME: account }, serviceAccountFolder: account }),
        new RegExp(
          `^ClusterError: no cluster: this is not a pod, KUBECONFIG is not set, and ${account}/.kube/config does not exist`,
        ),
      );
    });
  });

  describe("by kubeconfig", () => {
    let number = 0;

    async function write(config: object, at = folder): Promise<string> {
      const file = join(at, `config-${number++}`);
      await writeFile(file, JSON.stringify(config));
      return file;
    }

    const clusterOf = (more: object = {}) => ({
      server: `https://127.0.0.1:${secure.port}/`,
      "certificate-authority-data": Buffer.from(secure.authority.certificate).toString("base64"),
      ...more,
    });
    const configOf = (user: object | undefined, cluster: object = clusterOf()) => ({
      "current-context": "main",
      contexts: [{ name: "main", context: { cluster: "c", ...(user && { user: "u" }), namespace: "team" } }],
      clusters: [{ name: "c", cluster }],
      users: user ? [{ name: "u", user }] : [],
    });
    const check = async (config: object, options: Partial<ConnectOptions> = {}) => {
      const { api } = await connect({ kubeconfig: await write(config), ...options });
      return await checkApiServer(api);
    };

    it("goes with a token, by flag, by KUBECONFIG and by default", async () => {
      const config = configOf({ token: "first" });
      const { api, namespace } = await connect({ kubeconfig: await write(config) });
      assert.equal(namespace, "team");
      assert.deepEqual(await checkApiServer(api), reachable);
      const env = { KUBECONFIG: `${folder}/missing:${await write(config)}` };
      assert.deepEqual(await checkApiServer((await connect({ env })).api), reachable);
      const home = await mkdtemp(join(folder, "home-"));
      await mkdir(join(home, ".kube"));
      await writeFile(join(home, ".kube", "config"), JSON.stringify(config));
      assert.deepEqual(await checkApiServer((await connect({ env: { HOME: home } })).api), reachable);
    });

    it("goes with a client certificate, from data and from files beside the kubeconfig", async () => {
      const { certificate, privateKey } = makeCertificate({ dnsNames: ["admin"], issuer: secure.authority });
      const data = {
        "client-certificate-data": Buffer.from(certificate).toString("base64"),
        "client-key-data": Buffer.from(privateKey).toString("base64"),
      };
      assert.deepEqual(await check(configOf(data)), reachable);
      await writeFile(join(folder, "client.crt"), certificate);
      await writeFile(join(folder, "client.key"), privateKey);
      const files = { "client-certificate": "client.crt", "client-key": "client.key" };
      assert.deepEqual(await check(configOf(files)), reachable);
    });

    it("goes with a token from a file, also when it is exchanged", async () => {
      await writeFile(join(folder, "token"), "first\n");
      const { api } = await connect({ kubeconfig: await write(configOf({ tokenFile: "token" })) });
      assert.deepEqual(await checkApiServer(api), reachable);
      secure.tokens.clear();
      secure.tokens.add("second");
      await writeFile(join(folder, "token"), "second\n");
      assert.deepEqual(await checkApiServer(api), reachable);
    });

    it("goes with what a plugin says, found beside the kubeconfig and told what is asked, also when that is exchanged", async () => {
      const plugin = join(folder, "plugin.sh");
      await writeFile(
        plugin,
        `#!/bin/sh\ncase $KUBERNETES_EXEC_INFO in *'"server":"https://127.0.0.1:'*) ;; *) exit 3;; esac\necho '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"'$(cat ${folder}/plugin-token)'"}}'\n`,
      );
      await chmod(plugin, 0o755);
      await writeFile(join(folder, "plugin-token"), "first");
      const exec = {
        apiVersion: "client.authentication.k8s.io/v1",
        command: "./plugin.sh",
        provideClusterInfo: true,
        interactiveMode: "Never",
      };
      const { api } = await connect({ kubeconfig: await write(configOf({ exec })) });
      assert.deepEqual(await checkApiServer(api), reachable);
      secure.tokens.clear();
      secure.tokens.add("second");
      await writeFile(join(folder, "plugin-token"), "second");
      assert.deepEqual(await checkApiServer(api), reachable);
    });

    it("says what is wrong with a plugin", async () => {
      const exec = { apiVersion: "client.authentication.k8s.io/v1", command: "/does/not/exist" };
      const outcome = await check(configOf({ exec }));
      assert.equal(outcome.kind, "unreachable");
      assert.match(
        outcome.kind === "unreachable" ? outcome.message : "",
        /no credentials for the API server: .*ENOENT/,
      );
    });

    it("trusts the cluster's authority also without a user, by another name, or whoever it is if told so", async () => {
      const address = `https://127.0.0.1:${secure.port}`;
      assert.deepEqual(await check(configOf(undefined)), refused(address));
      assert.deepEqual(
        await check(configOf({ token: "first" }, clusterOf({ "tls-server-name": "kubernetes.default.svc" }))),
        reachable,
      );
      const misnamed = await check(configOf({ token: "first" }, clusterOf({ "tls-server-name": "other.example" })));
      assert.match(misnamed.kind === "unreachable" ? misnamed.message : "", /its certificate is for other names/);
      const unsafe = { server: address, "insecure-skip-tls-verify": true };
      assert.deepEqual(await check(configOf({ token: "first" }, unsafe)), reachable);
      assert.deepEqual(await check(configOf(undefined, unsafe)), refused(address));
    });

    it("goes by a proxy, and in the name of another", async () => {
      const tunnels: string[] = [];
      const sockets: Socket[] = [];
      const proxy = createServer().on("connect", (request: IncomingMessage, socket: Socket) => {
        tunnels.push(request.url ?? "");
        const onward = connectTo(secure.port, "127.0.0.1", () => {
          socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
          socket.pipe(onward).pipe(socket);
        });
        for (const end of [socket, onward]) end.on("error", () => onward.destroy());
        sockets.push(socket);
      });
      proxy.listen(0, "127.0.0.1");
      await once(proxy, "listening");
      const proxyUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
      const user = { token: "first", as: "somebody" };
      assert.deepEqual(await check(configOf(user, clusterOf({ "proxy-url": proxyUrl }))), reachable);
      assert.deepEqual(tunnels, [`127.0.0.1:${secure.port}`]);
      assert.equal(secure.seen[0]?.headers["impersonate-user"], "somebody");
      for (const socket of sockets) socket.destroy();
      proxy.close();
    });

    it("lets the first of several files win", async () => {
      const first = await write({ ...configOf({ token: "first" }), "current-context": "" });
      const second = await write({
        ...configOf({ token: "wrong" }),
        contexts: [{ name: "other", context: { cluster: "c", user: "u" } }],
        "current-context": "other",
      });
      const { api, namespace } = await connect({ env: { KUBECONFIG: `${first}:${second}` } });
      assert.equal(namespace, undefined);
      assert.deepEqual(await checkApiServer(api), reachable);
      const main = await connect({ env: { KUBECONFIG: `${first}:${second}` }, context: "main" });
      assert.equal(main.namespace, "team");
    });

    it("says what is wrong with a kubeconfig", async () => {
      const config = configOf({ token: "first" });
      const problem = async (given: object | string, context?: string) => {
        const kubeconfig = typeof given === "string" ? given : await write(given);
        const options = { kubeconfig, ...(context !== undefined && { context }) };
        const error: unknown = await connect(options).then(
          () => undefined,
          (reason: unknown) => reason,
        );
        assert.ok(error instanceof Error);
        assert.equal(error.name, "ClusterError");
        return error.message.replace(kubeconfig, "FILE");
      };
      assert.equal(await problem(join(folder, "nothing")), "no kubeconfig: FILE does not exist");
      assert.equal(await problem(config, "prod"), 'kubeconfig FILE has no context "prod": it has main');
      assert.equal(
        await problem({ ...config, "current-context": undefined }),
        "kubeconfig FILE names no current context, and none was asked for: it has main",
      );
      assert.equal(
        await problem({ ...config, clusters: [] }),
        'kubeconfig FILE: context "main" names a cluster "c", which is missing',
      );
      assert.equal(
        await problem({ ...config, users: [] }),
        'kubeconfig FILE: context "main" names a user "u", which is missing',
      );
      assert.match(await problem(configOf({}, { server: "127.0.0.1" })), /is no http\(s\) address: 127\.0\.0\.1$/);
      assert.match(await problem(folder), /^kubeconfig FILE cannot be read: EISDIR/);
      const broken = join(folder, "broken");
      await writeFile(broken, "a: [");
      assert.match(await problem(broken), /^kubeconfig FILE is not valid: /);
      await writeFile(broken, "");
      assert.match(await problem(broken), /^kubeconfig FILE is not valid: .*empty/);
    });

    it("says that nothing listens there, or something else", async () => {
      const closed = await check(configOf({}, clusterOf({ server: "https://127.0.0.1:1" })));
      assert.deepEqual(closed, {
        kind: "unreachable",
        message:
          "the API server at https://127.0.0.1:1 cannot be reached: connection refused: nothing listens there (ECONNREFUSED)",
      });
      const plain = await check(configOf({}, { server: `http://127.0.0.1:${secure.port}` }));
      assert.equal(plain.kind, "unreachable");
    });
  });
});

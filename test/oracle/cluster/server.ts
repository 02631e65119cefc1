import { type ChildProcess, spawn } from "node:child_process";
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, open, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { type ApiServer, checkApiServer, connectToCluster } from "../../../operator/src/kubernetes/index.ts";
import { silentLogger } from "../../../operator/src/lib/index.ts";
import { buildPrograms, labPrograms } from "../../lab/index.ts";
import { makeCertificate } from "../../support/certificates.ts";

export type RealServer = { readonly api: ApiServer; readonly kubeconfig: string; readonly close: () => Promise<void> };

const deadlineMs = 120_000;

/** Starts etcd and kube-apiserver on loopback, with nothing else of a cluster: enough for verdicts. They are built if they are not there. */
export async function startServer(report: (line: string) => void): Promise<RealServer> {
  const programs = await buildPrograms(
    labPrograms.filter(({ name }) => name === "etcd" || name === "kube-apiserver"),
    { report },
  );
  const folder = await mkdtemp(path.join(tmpdir(), "gw-api-"));
  const children: ChildProcess[] = [];
  const close = async () => {
    for (const child of children.toReversed()) {
      if (child.exitCode === null) {
        child.kill("SIGTERM");
        await once(child, "exit");
      }
    }
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const [etcdPort, peerPort, apiPort] = await freePorts(3);
    const etcdUrl = `http://127.0.0.1:${etcdPort}`;
    const pki = await makePki(folder, `https://127.0.0.1:${apiPort}`);
    const start = async (name: keyof typeof programs, args: readonly string[]) => {
      const log = await open(path.join(folder, `${name}.log`), "w");
      children.push(spawn(programs[name], args, { stdio: ["ignore", log.fd, log.fd] }));
      await log.close();
    };
    await start("etcd", [
      `--data-dir=${path.join(folder, "data")}`,
      `--listen-client-urls=${etcdUrl}`,
      `--advertise-client-urls=${etcdUrl}`,
      `--listen-peer-urls=http://127.0.0.1:${peerPort}`,
      "--unsafe-no-fsync",
    ]);
    await start("kube-apiserver", [
      `--etcd-servers=${etcdUrl}`,
      "--bind-address=127.0.0.1",
      `--secure-port=${apiPort}`,
      // Nobody comes to it by this address: it must only be one that is not loopback.
      "--advertise-address=192.0.2.1",
      "--endpoint-reconciler-type=none",
      `--tls-cert-file=${pki.server}`,
      `--tls-private-key-file=${pki.serverKey}`,
      `--token-auth-file=${pki.tokens}`,
      "--authorization-mode=AlwaysAllow",
      "--service-cluster-ip-range=10.0.0.0/16",
      "--service-account-issuer=https://kubernetes.default.svc",
      `--service-account-key-file=${pki.verifyingKey}`,
      `--service-account-signing-key-file=${pki.signingKey}`,
      "--max-requests-inflight=400",
      "--profiling=false",
    ]);
    const { api } = await connectToCluster({ kubeconfig: pki.kubeconfig, env: {}, logger: silentLogger });
    const end = Date.now() + deadlineMs;
    while ((await checkApiServer(api)).kind !== "reachable") {
      const dead = children.find(({ exitCode }) => exitCode !== null);
      if (dead !== undefined || Date.now() > end)
        throw new Error(await readFile(path.join(folder, "kube-apiserver.log"), "utf8"));
      await setTimeout(200);
    }
    return {
      api,
      kubeconfig: pki.kubeconfig,
      close: async () => {
        api.close();
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function freePorts(count: number): Promise<readonly number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, "127.0.0.1"));
  const ports: number[] = [];
  for (const server of servers) {
    if (!server.listening) await once(server, "listening");
    const address = server.address();
    if (typeof address === "object" && address !== null) ports.push(address.port);
  }
  for (const server of servers) server.close();
  return ports;
}

async function makePki(folder: string, server: string) {
  const authority = makeCertificate({ dnsNames: ["oracle-authority"], authority: true });
  const own = makeCertificate({ dnsNames: ["localhost"], addresses: ["127.0.0.1"], issuer: authority });
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const token = randomBytes(16).toString("hex");
  const cluster = { server, "certificate-authority-data": Buffer.from(authority.certificate).toString("base64") };
  const kubeconfig = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "oracle", cluster }],
    users: [{ name: "admin", user: { token } }],
    contexts: [{ name: "oracle", context: { cluster: "oracle", user: "admin" } }],
    "current-context": "oracle",
  };
  const contents = {
    "server.crt": own.certificate,
    "server.key": own.privateKey,
    "signing.key": privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    "signing.pub": publicKey.export({ type: "spki", format: "pem" }).toString(),
    "tokens.csv": `${token},admin,admin,"system:masters"\n`,
    kubeconfig: JSON.stringify(kubeconfig),
  };
  for (const [name, content] of Object.entries(contents))
    await writeFile(path.join(folder, name), content, { mode: 0o600 });
  const file = (name: keyof typeof contents) => path.join(folder, name);
  return {
    server: file("server.crt"),
    serverKey: file("server.key"),
    verifyingKey: file("signing.pub"),
    signingKey: file("signing.key"),
    tokens: file("tokens.csv"),
    kubeconfig: file("kubeconfig"),
  };
}

// What is trusted and shown changes: a listener's certificate, and the authority by which a backend is known.
import { createServer } from "node:https";
import { connect, type TLSSocket } from "node:tls";
import { type Certificate, makeCertificate } from "../../support/certificates.ts";
import { spread } from "../statistics.ts";
import { askUntil, NotSeen } from "./asking.ts";
import { perChange, spreadFigures } from "./figures.ts";
import {
  endpointSlice,
  httpsPort,
  type KubernetesObject,
  namespace,
  route,
  secret,
  secureHost,
  service,
  tlsBackendPort,
} from "./objects.ts";
import { hostAddress } from "./own-network.ts";
import { betweenMs } from "./probes.ts";
import { pause } from "./program.ts";
import type { Session } from "./session.ts";
import type { Figures, Workload } from "./workload.ts";

export const rotation: Workload = {
  name: "W6",
  title: "rotation of certificates, of authorities in ConfigMaps and ClusterTrustBundles",
  whyNot: ({ side }) => (side.writesStatuses ? undefined : "the floor knows nothing of TLS"),
  run: async ({ session, changes, record }) => {
    await record("W6 certificate", await rotateCertificate(session, changes("W6")));
    await record("W6 authority", await rotateAuthority(session, changes("W6"), configMap));
    await record("W6 trust bundle", await rotateAuthority(session, changes("W6"), trustBundle));
  },
};

const withinMs = 30_000;

async function rotateCertificate(session: Session, changes: number): Promise<Figures> {
  const { writer } = session;
  const secureRoute = route("secure", { host: secureHost });
  await writer.create(secureRoute);
  const certificates = Array.from({ length: changes + 1 }, () => makeCertificate({ dnsNames: [secureHost] }));
  const times: number[] = [];
  let wrong = 0;
  const rotate = async ({ certificate, privateKey }: Certificate) => {
    const sinceMs = performance.now();
    const written = writer.merge(secret(certificate, privateKey));
    for (;;) {
      const shown = await shownCertificate();
      if (shown === bodyOf(certificate)) break;
      if (shown === undefined) wrong++;
      if (performance.now() - sinceMs > withinMs)
        throw new NotSeen(`a new certificate is not shown after ${withinMs} ms`);
      await pause(5);
    }
    await written;
    return performance.now() - sinceMs;
  };
  const [first, ...rest] = certificates;
  if (first !== undefined) await rotate(first);
  wrong = 0;
  await session.quiet();
  const held = await holdConnection();
  const before = await listenerChanges(session);
  const { cost } = await session.measure(async () => {
    for (const certificate of rest) {
      times.push(await rotate(certificate));
      await pause(betweenMs);
    }
  });
  const listeners = (await listenerChanges(session)) - before;
  const drained = held.isClosed() ? 1 : 0;
  held.close();
  await writer.remove(secureRoute);
  await session.quiet();
  return { ...spreadFigures(spread(times)), wrong, listeners, drained, ...perChange(cost, changes) };
}

/** What the listener shows, as the base64 of its DER; undefined where there is no handshake. */
const shownCertificate = (): Promise<string | undefined> =>
  new Promise((resolve) => {
    const socket = openTls();
    const end = (shown: string | undefined) => {
      socket.destroy();
      resolve(shown);
    };
    socket.on("secureConnect", () => end(socket.getPeerCertificate().raw.toString("base64")));
    socket.on("error", () => end(undefined));
    socket.setTimeout(10_000, () => end(undefined));
  });

const openTls = (): TLSSocket =>
  connect({ host: "127.0.0.1", port: httpsPort, servername: secureHost, rejectUnauthorized: false });

const bodyOf = (pem: string): string => pem.replaceAll(/-----[A-Z ]+-----|\s/g, "");

/** A client's connection, opened before and kept: draining a listener would end it. */
async function holdConnection() {
  const socket = openTls();
  let isClosed = false;
  socket.on("error", () => undefined);
  socket.on("close", () => (isClosed = true));
  await new Promise<void>((resolve, reject) => socket.once("secureConnect", resolve).once("error", reject));
  return { isClosed: () => isClosed, close: () => socket.destroy() };
}

/** How often Envoy has changed or exchanged a listener, which drains its connections. */
export async function listenerChanges(session: Session): Promise<number> {
  const counters = ["listener_modified", "listener_removed", "listener_in_place_updated"];
  const counts = await Promise.all(counters.map((name) => session.envoy().stat(`listener_manager.${name}`)));
  return counts.reduce((sum, count) => sum + count, 0);
}

type Authority = {
  readonly object: (certificate: string) => KubernetesObject;
  readonly reference: { readonly group: string; readonly kind: string; readonly name: string };
};

const configMap: Authority = {
  reference: { group: "", kind: "ConfigMap", name: "authority" },
  object: (certificate) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "authority", namespace },
    data: { "ca.crt": certificate },
  }),
};

const trustBundle: Authority = {
  reference: { group: "certificates.k8s.io", kind: "ClusterTrustBundle", name: "authority" },
  object: (certificate) => ({
    apiVersion: "certificates.k8s.io/v1beta1",
    kind: "ClusterTrustBundle",
    metadata: { name: "authority" },
    spec: { trustBundle: certificate },
  }),
};

const tlsName = "tls-backend";

/** The authority of the backend's certificate is trusted and another one instead, in turn: 200 and 503. */
async function rotateAuthority(session: Session, changes: number, { object, reference }: Authority): Promise<Figures> {
  const { writer } = session;
  const [right, other] = ["right", "other"].map((name) => makeCertificate({ dnsNames: [name], authority: true }));
  if (right === undefined || other === undefined) throw new Error("no authorities");
  const backend = await startTlsBackend(makeCertificate({ dnsNames: [`${tlsName}.example.com`], issuer: right }));
  const objects: readonly KubernetesObject[] = [
    object(right.certificate),
    service(tlsName),
    endpointSlice(tlsName, tlsBackendPort),
    backendPolicy(reference),
    route(tlsName, { backend: tlsName }),
  ];
  for (const one of objects) await writer.create(one);
  const times: number[] = [];
  let wrong = 0;
  const isIn = (status: number) => (answer: { readonly status: number }) => answer.status === status;
  try {
    await askUntil(tlsName, isIn(200), () => true, { withinMs });
    await session.quiet();
    const { cost } = await session.measure(async () => {
      for (let at = 1; at <= changes; at++) {
        const [wanted, before, authority] = at % 2 === 0 ? [200, 503, right] : [503, 200, other];
        const sinceMs = performance.now();
        const written = writer.merge(object(authority.certificate));
        const asked = await askUntil(tlsName, isIn(wanted), isIn(before), { sinceMs, withinMs });
        await written;
        times.push(asked.ms);
        wrong += asked.wrong;
        await pause(betweenMs);
      }
    });
    return { ...spreadFigures(spread(times)), wrong, ...perChange(cost, changes) };
  } finally {
    for (const one of objects.toReversed()) await writer.remove(one);
    backend.close();
    await session.quiet();
  }
}

const backendPolicy = (reference: Authority["reference"]): KubernetesObject => ({
  apiVersion: "gateway.networking.k8s.io/v1",
  kind: "BackendTLSPolicy",
  metadata: { name: tlsName, namespace },
  spec: {
    targetRefs: [{ group: "", kind: "Service", name: tlsName }],
    validation: { hostname: `${tlsName}.example.com`, caCertificateRefs: [reference] },
  },
});

/** Of one request a connection, so that every request has a handshake of its own. */
async function startTlsBackend({ certificate, privateKey }: Certificate) {
  const server = createServer({ cert: certificate, key: privateKey }, (_, response) =>
    response.setHeader("connection", "close").end("ok"),
  );
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(tlsBackendPort, hostAddress, resolve);
  });
  return {
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

import type { Gateway, ListenerSet } from "@gatewright/crd-types/gateway/v1";
import { deepEqual, type Graph, type Table } from "../../lib/index.ts";
import type { Inputs } from "../inputs.ts";
import type { Admission } from "./admissions.ts";
import { type CertificateView, parseTlsSecret } from "./certificate.ts";
import { secretsOf } from "./certificate-refs.ts";

export type CertificateTables = {
  /** Secrets that a Gateway of ours or a ListenerSet of it names, by Secret key. Each is read once, whoever names it, until it changes. */
  readonly certificates: Table<CertificateView>;
  /** What is to be said of a certificate's dates, by Secret key. */
  readonly ages: Table<string>;
};

export function createCertificates(
  graph: Graph,
  { store, clock }: Inputs,
  gateways: Table<Gateway>,
  admissions: Table<Admission>,
): CertificateTables {
  const { Secret, ListenerSet } = store.objects;
  const named = graph.index("certificateRefs", gateways, ({ metadata, spec }) =>
    secretsOf(metadata.namespace ?? "", [
      ...spec.listeners.flatMap(({ tls }) => tls?.certificateRefs ?? []),
      ...[spec.tls?.backend?.clientCertificateRef ?? []].flat(),
    ]),
  );
  // Those that no Gateway takes have no certificates to be read.
  const sets = graph.derive<ListenerSet>("takenListenerSets", {
    keysOf: [admissions],
    compute: (key) => (admissions.get(key)?.refusal === undefined ? ListenerSet.get(key) : undefined),
  });
  const namedBySets = graph.index("certificateRefsOfSets", sets, ({ metadata, spec }) =>
    secretsOf(
      metadata.namespace ?? "",
      spec.listeners.flatMap(({ tls }) => tls?.certificateRefs ?? []),
    ),
  );
  const certificates = graph.derive<CertificateView>("certificates", {
    keysOf: [named, namedBySets],
    compute: (key) => {
      const secret = Secret.get(key);
      return secret && parseTlsSecret(secret);
    },
    equal: deepEqual,
  });
  const ages = graph.derive<string>("certificateAges", {
    keysOf: [certificates],
    compute: (key) => {
      const view = certificates.get(key);
      const nowMs = clock?.get("now");
      return view?.kind === "usable" && nowMs !== undefined ? ageOf(view, nowMs) : undefined;
    },
  });
  return { certificates, ages };
}

type Dates = { readonly notBeforeMs: number; readonly notAfterMs: number };

function ageOf({ notBeforeMs, notAfterMs }: Dates, nowMs: number): string | undefined {
  if (nowMs > notAfterMs) return `the certificate expired at ${formatTime(notAfterMs)}`;
  return nowMs < notBeforeMs ? `the certificate is not valid before ${formatTime(notBeforeMs)}` : undefined;
}

const formatTime = (ms: number): string => new Date(ms).toISOString().replace(".000Z", "Z");

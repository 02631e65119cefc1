import type { Placement, ProxyState, Refusal, Settings, Unavailability } from "../../operator/src/gatewayapi/inputs.ts";
import { createTranslation, type Translation } from "../../operator/src/gatewayapi/index.ts";
import { type CertificateOptions, type KeyKind, makeCertificate } from "./certificates.ts";
import { admit, createWorld, type Manifest, placed, type World } from "./translation.ts";

/** What a golden input says beside its objects, in a document of `kind: Case`. */
export type CaseOptions = {
  readonly settings?: Partial<Settings>;
  /** Secrets whose certificates are made on the spot, and where they are served from. */
  readonly certificates?: readonly CaseCertificate[];
  /** Objects with certificates of authorities, made on the spot: `ConfigMap namespace/name`, `ClusterTrustBundle name`. */
  readonly authorities?: readonly string[];
  /** The time. Midsummer 2026 unless given; certificates live from the beginning of 2026 to its end unless they say otherwise. */
  readonly now?: string;
  /** By kind or field. */
  readonly unavailable?: Readonly<Record<string, Unavailability>>;
  /** Gateways without a place. */
  readonly unplaced?: readonly string[];
  /** By Gateway key. */
  readonly placements?: Readonly<Record<string, CasePlacement>>;
  /** By Gateway key; ready unless given. */
  readonly states?: Readonly<Record<string, ProxyState>>;
  /** By listener key. */
  readonly refusedListeners?: Readonly<Record<string, Refusal>>;
  /** By quarantine key. */
  readonly quarantine?: Readonly<Record<string, Refusal>>;
};

type CaseCertificate = {
  /** `namespace/name` of its Secret. */
  readonly secret: string;
  readonly dnsNames: CertificateOptions["dnsNames"];
  readonly key?: KeyKind;
  readonly notBefore?: string;
  readonly notAfter?: string;
  /** The key is that of another. */
  readonly mixed?: boolean;
};

type CasePlacement = Pick<Placement, "addresses" | "furtherAddresses"> & {
  readonly unavailablePorts?: Readonly<Record<string, string>>;
};

const defaultClass = admit({
  apiVersion: "gateway.networking.k8s.io/v1",
  kind: "GatewayClass",
  metadata: { name: "gatewright" },
  spec: { controllerName: "gatewright.dev/gateway-controller" },
});

/** Sets the scene that a golden input describes. There is a GatewayClass `gatewright` unless the input has classes of its own. */
export function openCase(documents: readonly unknown[]): World<Translation> {
  const options = documents.find(isCase) ?? {};
  const objects = documents
    .filter((document) => document !== null && !isCase(document))
    .map((document) => admit(document));
  const secrets = (options.certificates ?? []).map(secretOf);
  const authorities = (options.authorities ?? []).map(authorityOf);
  const classes = objects.some(({ kind }) => kind === "GatewayClass") ? [] : [defaultClass];
  const world = createWorld(createTranslation, options.settings);
  world.clock.set("now", Date.parse(options.now ?? "2026-06-21T12:00:00Z"));
  for (const [key, refusal] of Object.entries(options.quarantine ?? {})) world.quarantine.set(key, refusal);
  for (const [key, refusal] of Object.entries(options.refusedListeners ?? {})) world.refusedListeners.set(key, refusal);
  for (const [kind, state] of Object.entries(options.unavailable ?? {})) world.unavailable.set(kind, state);
  world.apply([...classes, ...objects, ...secrets, ...authorities]);
  for (const key of world.ir.proxies.keys()) {
    if (options.unplaced?.includes(key)) continue;
    world.placements.set(key, placementOf(options.placements?.[key]));
    world.proxyStates.set(key, options.states?.[key] ?? { kind: "ready" });
  }
  world.graph.settle();
  return world;
}

const isCase = (document: unknown): document is CaseOptions =>
  typeof document === "object" && document !== null && "kind" in document && document.kind === "Case";

function secretOf({ secret, dnsNames, key, notBefore, notAfter, mixed = false }: CaseCertificate): Manifest {
  const dates = {
    notBefore: new Date(notBefore ?? "2026-01-01T00:00:00Z"),
    notAfter: new Date(notAfter ?? "2026-12-31T00:00:00Z"),
  };
  const made = makeCertificate({ dnsNames, ...dates, ...(key !== undefined && { key }) });
  const other = mixed ? makeCertificate({ dnsNames: ["another.example.com"] }) : made;
  const [namespace = "", name = ""] = secret.split("/");
  return admit({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { namespace, name },
    type: "kubernetes.io/tls",
    data: {
      "tls.crt": Buffer.from(made.certificate).toString("base64"),
      "tls.key": Buffer.from(other.privateKey).toString("base64"),
    },
  });
}

function authorityOf(reference: string): Manifest {
  const [kind = "", key = ""] = reference.split(" ");
  if (kind === "ClusterTrustBundle") return bundleOf(key);
  const [namespace = "", name = ""] = key.split("/");
  const { certificate } = makeCertificate({ dnsNames: [name], authority: true });
  const text = kind === "Secret" ? Buffer.from(certificate).toString("base64") : certificate;
  return admit({ apiVersion: "v1", kind, metadata: { namespace, name }, data: { "ca.crt": text } });
}

/** `example.com:signer:v1` is a bundle of the signer `example.com/signer`. */
function bundleOf(name: string): Manifest {
  const signer = name.split(":").slice(0, -1).join("/");
  return admit({
    apiVersion: "certificates.k8s.io/v1",
    kind: "ClusterTrustBundle",
    metadata: { name },
    spec: {
      ...(signer !== "" && { signerName: signer }),
      trustBundle: makeCertificate({ dnsNames: [name], authority: true }).certificate,
    },
  });
}

function placementOf(stated: CasePlacement | undefined): Placement {
  const placement = placed("192.0.2.1");
  if (stated === undefined) return placement;
  const { addresses, furtherAddresses, unavailablePorts = {} } = stated;
  const ports = Object.entries(unavailablePorts).map(([port, words]) => [Number(port), words] as const);
  return {
    ...placement,
    addresses: addresses ?? placement.addresses,
    ...(furtherAddresses && { furtherAddresses }),
    unavailablePorts: new Map(ports),
  };
}

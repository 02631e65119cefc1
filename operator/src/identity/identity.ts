import { apiFailure, type ApiResponse, type ApiServer, isSuccess, resourcePath } from "../kubernetes/index.ts";
import type { Logger } from "../lib/index.ts";
import { issueCertificate, lifetimeFrom } from "./authority.ts";
import { proxySecretData, proxyUri } from "./proxy-identity.ts";
import { createReloadableCredentials, type ServerCredentials } from "./server-credentials.ts";
import { ageOf, createTrust, formatTrust, parseTrust, renewTrust, type SecretData, type Trust } from "./trust.ts";

export type IdentityOptions = {
  readonly api: ApiServer;
  readonly logger: Logger;
  /** Where the Secret with the authority is. */
  readonly namespace: string;
  /** Of the Secret. One that somebody else has made is used and never changed. */
  readonly secretName: string;
  /** Names by which proxies reach this operator. */
  readonly serverNames: readonly string[];
  /** Milliseconds since 1970. `Date.now` unless given. */
  readonly now?: () => number;
};

export type Identity = {
  /** For the server that proxies connect to: asks for a certificate of theirs. */
  readonly credentials: ServerCredentials;
  /** PEM: the authorities that are believed. */
  readonly bundle: () => string;
  /** `data` of the Secret of a proxy, from what it holds now. */
  readonly proxySecretData: (key: string, existing: SecretData | undefined) => Promise<SecretData>;
  /** The Secret as it is in the cluster now: another replica or an admin may have changed it, or broken it. */
  readonly observe: (secret: ObservedSecret | undefined) => Promise<void>;
  /** What is wrong with the Secret as it was observed last; undefined: nothing. What is in memory goes on in any case. */
  readonly damage: () => SecretDamage | undefined;
  /**
   * Where `mayWrite`: stores what is in memory where the Secret is gone or broken, so that nobody's trust changes. Returns the Secret
   * that stands then; undefined: nothing was to be done, another was faster, or the Secret is not ours. Throws where it cannot be written.
   */
  readonly mend: (mayWrite: boolean) => Promise<ObservedSecret | undefined>;
  /** Renews what is near its end; the authority only where `mayWrite`. To be called now and then, and after a change of leader. */
  readonly renew: (mayWrite: boolean) => Promise<void>;
  /** Whether anything but time changed: proxies' Secrets are to be looked at again. Returns how to stop it. */
  readonly onChange: (listener: () => void) => () => void;
};

export type ObservedSecret = {
  readonly metadata: {
    readonly labels?: Readonly<Record<string, string>>;
    readonly resourceVersion?: string;
    readonly uid?: string;
  };
  readonly type?: string;
  readonly data?: SecretData;
};

export type SecretDamage = {
  readonly message: string;
  /** Whether it is ours to mend. One that somebody else made is not. */
  readonly isOurs: boolean;
  /** What stands there; undefined: it is gone. */
  readonly secret?: ObservedSecret;
};

const isSecret = (body: unknown): body is ObservedSecret =>
  typeof body === "object" && body !== null && "metadata" in body && typeof body.metadata === "object";

const serverCertificateMs = 7 * 86_400_000;
const renewAt = 2 / 3;
const managedBy = { "app.kubernetes.io/managed-by": "gatewright" };
const carriesOurLabel = ({ metadata }: ObservedSecret): boolean =>
  metadata.labels?.["app.kubernetes.io/managed-by"] === "gatewright";

/** Which proxy a client has proved to be: whether its certificate is that of `key`. `subjectAltName` as node:tls spells it. */
export const isProxy = (key: string, subjectAltName: string | undefined): boolean =>
  subjectAltName === `URI:${proxyUri(key)}`;

/**
 * The operator's own authority: made once, kept in a Secret, renewed in time, shared by all replicas; what it has issued for
 * this replica and for proxies. Throws where the Secret cannot be read, made or used: without it no proxy could connect.
 */
export async function createIdentity(options: IdentityOptions): Promise<Identity> {
  const { api, logger, namespace, secretName, serverNames, now = Date.now } = options;
  const listeners = new Set<() => void>();
  const reloadable = createReloadableCredentials();
  const secretKey = `Secret ${namespace}/${secretName}`;
  let { trust, version, isOurs } = await load();
  let serverCertificate = "";
  let damage: SecretDamage | undefined;

  function pathOf(name?: string): string {
    return resourcePath({
      group: "",
      version: "v1",
      plural: "secrets",
      namespace,
      ...(name !== undefined && { name }),
    });
  }

  async function load() {
    const found = await api.request({ method: "GET", path: pathOf(secretName) });
    if (isSuccess(found)) return readAnswer(found);
    if (found.status !== 404) throw new Error(`${secretKey} cannot be read: ${apiFailure(found)}`);
    const made = await api.request({
      method: "POST",
      path: pathOf(),
      body: secretOf(await createTrust(now())),
    });
    if (isSuccess(made)) {
      logger.info({ secret: `${namespace}/${secretName}` }, "made an authority for operator and proxies");
      return readAnswer(made);
    }
    // Another replica was faster.
    const again = made.status === 409 ? await api.request({ method: "GET", path: pathOf(secretName) }) : made;
    if (!isSuccess(again)) throw new Error(`${secretKey} cannot be made: ${apiFailure(made)}`);
    return readAnswer(again);
  }

  function secretOf(wanted: Trust, resourceVersion?: string, type = "kubernetes.io/tls") {
    return {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: secretName, namespace, labels: managedBy, ...(resourceVersion && { resourceVersion }) },
      type,
      data: formatTrust(wanted),
    };
  }

  function readAnswer({ body }: ApiResponse) {
    const result = isSecret(body) ? readSecret(body) : "it is not a Secret";
    if (typeof result === "string")
      throw new Error(`${secretKey} cannot be used: ${result}; delete it, and a new one is made`);
    return result;
  }

  function readSecret(secret: ObservedSecret) {
    const reading = parseTrust(secret.data ?? {});
    if (reading.kind === "unusable") return reading.message;
    return { trust: reading.trust, version: secret.metadata.resourceVersion, isOurs: carriesOurLabel(secret) };
  }

  /** What is in memory goes on. */
  function noteDamage(message: string, secret: ObservedSecret | undefined): void {
    damage = {
      message,
      isOurs: isOurs && (secret === undefined || carriesOurLabel(secret)),
      ...(secret !== undefined && { secret }),
    };
    logger.warn(
      { secret: `${namespace}/${secretName}`, problem: message },
      damage.isOurs
        ? "the authority's Secret cannot be used, and is made again with what it held"
        : "the authority's Secret cannot be used, and its maker has to mend it: what it held goes on until the operator ends",
    );
  }

  async function storeAgain({ secret }: SecretDamage): Promise<ObservedSecret | undefined> {
    const answer =
      secret === undefined
        ? await api.request({ method: "POST", path: pathOf(), body: secretOf(trust) })
        : await api.request({
            method: "PUT",
            path: pathOf(secretName),
            // Its type cannot be changed.
            body: secretOf(trust, secret.metadata.resourceVersion, secret.type),
          });
    // Gone meanwhile, or back: that comes by `observe`.
    if (answer.status === 409 || (secret !== undefined && answer.status === 404)) return undefined;
    if (!isSuccess(answer) || !isSecret(answer.body))
      throw new Error(`${secretKey} cannot be made again: ${apiFailure(answer)}`);
    damage = undefined;
    await believe(readAnswer(answer));
    return answer.body;
  }

  async function issueServerCertificate(): Promise<void> {
    const subject = { commonName: serverNames[0] ?? "gatewright", dnsNames: serverNames, use: "server" } as const;
    const pair = await issueCertificate(trust.authority, subject, lifetimeFrom(now(), serverCertificateMs));
    serverCertificate = pair.certificate;
    reloadable.reload(pair, trust.bundle);
  }

  async function believe(read: Exclude<ReturnType<typeof readSecret>, string>): Promise<void> {
    const before = trust;
    ({ trust, version, isOurs } = read);
    if (before.bundle === trust.bundle && before.authority.certificate === trust.authority.certificate) return;
    await issueServerCertificate();
    logger.info({ secret: `${namespace}/${secretName}` }, "the authority for operator and proxies has changed");
    for (const listener of listeners) listener();
  }

  async function renewAuthority(): Promise<void> {
    const renewed = await renewTrust(trust, now());
    if (renewed === trust) return;
    const answer = await api.request({ method: "PUT", path: pathOf(secretName), body: secretOf(renewed, version) });
    // On a conflict the one who was faster has renewed it: that comes by `observe`.
    if (isSuccess(answer)) await believe(readAnswer(answer));
    else if (answer.status !== 409)
      logger.warn(
        { secret: `${namespace}/${secretName}`, failure: apiFailure(answer) },
        "the authority is not renewed",
      );
  }

  await issueServerCertificate();

  return {
    credentials: reloadable.credentials,
    bundle: () => trust.bundle,
    proxySecretData: (key, existing) => proxySecretData(key, trust, existing, now()),
    observe: async (secret) => {
      const read = secret === undefined ? "it is gone" : readSecret(secret);
      if (typeof read === "string") return noteDamage(read, secret);
      damage = undefined;
      if (read.version !== version) await believe(read);
    },
    damage: () => damage,
    mend: async (mayWrite) => (mayWrite && damage?.isOurs === true ? await storeAgain(damage) : undefined),
    renew: async (mayWrite) => {
      if (mayWrite && isOurs && damage === undefined) await renewAuthority();
      if (!isOurs && ageOf(trust.authority.certificate, now()) > 5 / 6)
        logger.warn(
          { secret: `${namespace}/${secretName}` },
          "the authority expires soon, and its maker has to renew it",
        );
      if (ageOf(serverCertificate, now()) >= renewAt) await issueServerCertificate();
    },
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

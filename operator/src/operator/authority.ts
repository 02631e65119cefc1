import { createIdentity, type Identity, type ObservedSecret } from "../identity/index.ts";
import { type ApiServer, ApiUnreachableError } from "../kubernetes/index.ts";
import { type Clock, type Logger, messageOf } from "../lib/index.ts";
import type { Change } from "../store/index.ts";
import type { EventRecorder } from "../writer/index.ts";
import { pause } from "./abortable.ts";
import { type OperatorOptions, StartError } from "./options.ts";

/** What operator and proxies trust. Tries until the API server answers; what it answers is final. */
export async function findIdentity(
  { logger, identitySecret }: OperatorOptions,
  api: ApiServer,
  { namespace, adsName }: { readonly namespace: string; readonly adsName: string },
  signal: AbortSignal,
): Promise<Identity> {
  for (;;) {
    try {
      return await createIdentity({ api, logger, namespace, secretName: identitySecret, serverNames: [adsName] });
    } catch (error) {
      if (!(error instanceof ApiUnreachableError)) throw new StartError(messageOf(error));
      if (signal.aborted) throw error;
      logger.warn({}, `${error.message}; trying again`);
      await pause(1_000, signal);
    }
  }
}

export type AuthorityKeeperOptions = {
  readonly identity: Identity;
  /** Of the Secret: `namespace/name`. */
  readonly secret: string;
  readonly isLeader: () => boolean;
  readonly events: Pick<EventRecorder, "tell">;
  readonly logger: Logger;
  readonly clock: Clock;
  /** Called when certificates of proxies may have to be renewed. */
  readonly onRenewed: () => void;
};

/** Sees to it that the authority's Secret holds what is in memory, and that nothing expires. Only who leads writes. */
export type AuthorityKeeper = {
  /** Objects that came, changed or went. */
  readonly observe: (changes: readonly Change[]) => void;
  /** Who leads has changed. */
  readonly update: () => void;
  readonly close: () => void;
};

const renewalMs = 3_600_000;
const retryMs = 5_000;

export function createAuthorityKeeper(options: AuthorityKeeperOptions): AuthorityKeeper {
  const { identity, secret, isLeader, events, logger, clock } = options;
  let work: Promise<void> = Promise.resolve();
  let cancelRetry: (() => void) | undefined;
  let cancelRenewal = renewLater();

  /** One after the other. */
  function enqueue(what: string, job: () => Promise<void>): void {
    work = work.then(job).catch((error: unknown) => logger.error({ secret, err: error }, what));
  }

  function renewLater(): () => void {
    return clock.after(renewalMs, () => {
      enqueue("certificates are not renewed", () => identity.renew(isLeader()).finally(options.onRenewed));
      cancelRenewal = renewLater();
    });
  }

  function mendNow(): void {
    cancelRetry?.();
    cancelRetry = undefined;
    enqueue("the authority of proxies is not mended", mend);
  }

  async function mend(): Promise<void> {
    const damage = identity.damage();
    if (damage === undefined || !damage.isOurs || !isLeader()) return;
    try {
      const stored = await identity.mend(isLeader());
      if (stored !== undefined) tellOf(stored, damage.message);
    } finally {
      // Where another was faster, what is observed next tells.
      if (identity.damage() !== undefined) cancelRetry = clock.after(retryMs, mendNow);
    }
  }

  function tellOf({ metadata: { uid = "", resourceVersion = "" } }: ObservedSecret, problem: string): void {
    logger.info({ secret }, "the authority's Secret is made again: proxies trust what they trusted before");
    events.tell(
      { apiVersion: "v1", kind: "Secret", key: secret, uid, resourceVersion },
      {
        type: "Warning",
        action: "RestoreAuthority",
        reason: "AuthorityRestored",
        note: `What operator and proxies trust could not be read from this Secret (${problem}): it is made again as it was`,
      },
    );
  }

  return {
    observe: (changes) => {
      for (const { kind, key, object } of changes) {
        if (kind !== "Secret" || key !== secret) continue;
        enqueue("the authority of proxies cannot be read", () => identity.observe(object));
        mendNow();
      }
    },
    update: mendNow,
    close: () => {
      cancelRetry?.();
      cancelRenewal();
    },
  };
}

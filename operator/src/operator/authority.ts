import { createIdentity, type Identity } from "../identity/index.ts";
import { type ApiServer, ApiUnreachableError } from "../kubernetes/index.ts";
import { type Change, objectKey } from "../store/index.ts";
import { messageOf } from "../lib/index.ts";
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

/** Tells the identity of changes to its Secret. */
export const followAuthority = (identity: Identity, namespace: string, { identitySecret, logger }: OperatorOptions) => {
  const own = objectKey(namespace, identitySecret);
  return (changes: readonly Change[]): void => {
    for (const change of changes) {
      if (change.kind !== "Secret" || change.key !== own) continue;
      identity
        .observe(change.object)
        .catch((error: unknown) => logger.error({ err: error }, "the authority of proxies cannot be read"));
    }
  };
};

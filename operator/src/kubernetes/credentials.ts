import type { Agent } from "node:http";
import { messageOf } from "../lib/index.ts";
import { ApiUnreachableError } from "./api-server.ts";

/** What a request to the API server goes with. */
export type Access = {
  readonly headers: Readonly<Record<string, string>>;
  readonly tls: TlsSettings;
  /** Leads by a proxy; made with `tls`. */
  readonly agent?: Agent;
};

export type TlsSettings = {
  readonly ca?: string | Buffer;
  readonly cert?: string | Buffer;
  readonly key?: string | Buffer;
  readonly servername?: string;
  readonly rejectUnauthorized?: boolean;
};

export type Credentials = {
  /** For the next request. `refused`: what the server did not take, so that something newer is looked for. */
  readonly current: (refused?: Access) => Promise<Access>;
};

/** Tokens and certificates are exchanged in their files while we run; a kubelet does it long before the old ones end. */
const maxAgeMs = 10_000;
/** What is refused again and again is not looked up each time: it may take a program to do so. */
const renewalPauseMs = 2_000;

/**
 * Keeps what `load` gives for a while. `renew` tells it that the server refused the last. Where nothing newer can be had, the
 * last stands: a file may be missing for a moment while it is replaced.
 */
export function createCredentials(load: (renew: boolean) => Promise<Access>): Credentials {
  let last: Access | undefined;
  let loadedAt = 0;
  let renewedAt = Number.NEGATIVE_INFINITY;
  let loading: Promise<Access> | undefined;

  async function reload(renew: boolean): Promise<Access> {
    try {
      last = await load(renew);
    } catch (error) {
      if (last === undefined)
        throw new ApiUnreachableError(`no credentials for the API server: ${messageOf(error)}`, { cause: error });
    }
    loadedAt = performance.now();
    return last;
  }

  return {
    current: async (refused) => {
      if (loading !== undefined) return loading;
      const now = performance.now();
      const isOld = now - loadedAt > maxAgeMs;
      // Of many that are refused at once, the first renews for all.
      const isRefused = refused !== undefined && refused === last && now - renewedAt > renewalPauseMs;
      if (last !== undefined && !isOld && !isRefused) return last;
      if (isRefused) renewedAt = now;
      loading = reload(isRefused).finally(() => {
        loading = undefined;
      });
      return loading;
    },
  };
}

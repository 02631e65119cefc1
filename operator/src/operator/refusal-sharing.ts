import type { ConfigMap } from "@gatewright/crd-types/core/v1";
import {
  apiFailure,
  type ApiRequest,
  type ApiResponse,
  type ApiServer,
  isSuccess,
  resourcePath,
} from "../kubernetes/index.ts";
import { type Clock, deepEqual, type Logger } from "../lib/index.ts";
import type { Reconciler } from "../reconcile/index.ts";
import { type Change, objectKey } from "../store/index.ts";
import {
  decodeRefusals,
  encodeRefusals,
  refusalsLabel,
  refusalsName,
  refusalsPrefix,
  renewedAnnotation,
  versionAnnotation,
} from "./refusal-document.ts";

export type RefusalSharingOptions = {
  readonly api: ApiServer;
  /** The operator's own. */
  readonly namespace: string;
  /** The name of this replica among all. */
  readonly instance: string;
  /** Of the pod that this replica is, where it is one: what it has said goes with it. */
  readonly podUid: string | undefined;
  /** The release of this replica. */
  readonly version: string;
  readonly reconciler: Pick<Reconciler, "refusals" | "adopt" | "inherit">;
  readonly isLeader: () => boolean;
  readonly logger: Logger;
  readonly clock: Clock;
  /** The time of day: for people who read it, nothing is decided by it. */
  readonly now: () => Date;
};

/**
 * Replicas tell each other what their Envoys refuse: one writes the statuses, and each serves Envoys. A replica whose Envoys refuse
 * something keeps a ConfigMap that says so; where nothing is refused there is none. What a replica of this release held out that is gone,
 * others go on holding out: Envoys are not asked again what they refuse.
 */
export type RefusalSharing = {
  /** Objects that came, changed or went. */
  readonly observe: (changes: readonly Change[]) => void;
  /** What is refused here may have changed. */
  readonly update: () => void;
  /** Withdraws what this replica has said. */
  readonly close: () => Promise<void>;
};

/** Envoys of one Gateway refuse the same one after the other. */
const gatherMs = 250;
const retryMs = 5_000;
const renewMs = 5 * 60_000;
/** One that has not been renewed for so long, as it is seen here, is that of a replica that is gone. */
const expiryMs = 15 * 60_000;

type Other = { readonly object: ConfigMap; readonly cancel: () => void };

export function createRefusalSharing(options: RefusalSharingOptions): RefusalSharing {
  const { api, namespace, reconciler, clock, logger } = options;
  const name = refusalsName(options.instance);
  const collection = resourcePath({ group: "", version: "v1", plural: "configmaps", namespace });
  const others = new Map<string, Other>();
  /** What the own object says, as far as is known; undefined: there is none. */
  let standing: Readonly<Record<string, string>> | undefined;
  /** What an earlier process of this name has left is taken over when all objects are known. */
  let isHeir = false;
  /** Once we have written, we know better than what is observed with delay. */
  let hasWritten = false;
  let isClosed = false;
  let cancelWrite: (() => void) | undefined;
  let cancelRenewal: (() => void) | undefined;
  let writing: Promise<void> = Promise.resolve();

  function wanted(): Readonly<Record<string, string>> | undefined {
    const refusals = isClosed ? [] : reconciler.refusals();
    return refusals.length === 0 ? undefined : encodeRefusals(refusals).data;
  }

  function update(): void {
    if (isHeir) {
      isHeir = false;
      return reconciler.inherit(name);
    }
    if (isClosed || cancelWrite !== undefined || deepEqual(wanted(), standing)) return;
    writeIn(gatherMs);
  }

  function writeIn(delayMs: number): void {
    cancelWrite?.();
    cancelWrite = clock.after(delayMs, () => {
      writing = writing.then(() => write(false));
    });
  }

  /** Brings about what is wanted now. Calls follow each other. */
  async function write(isRenewal: boolean): Promise<void> {
    cancelWrite = undefined;
    const data = wanted();
    if (!isRenewal && deepEqual(data, standing)) return;
    try {
      const answer = data === undefined ? await remove(name) : await put(data);
      if (!isSuccess(answer) && !(data === undefined && answer.status === 404)) throw new Error(apiFailure(answer));
      standing = data;
      hasWritten = true;
      renewLater();
      if (data !== undefined) tellOfLimit();
    } catch (error) {
      logger.warn({ configMap: objectKey(namespace, name), err: error }, "what Envoys refuse cannot be told to others");
      if (!isClosed) writeIn(retryMs);
      return;
    }
    update();
  }

  function tellOfLimit(): void {
    const { leftOut } = encodeRefusals(reconciler.refusals());
    if (leftOut > 0) logger.warn({ leftOut }, "Envoys refuse more than can be told to others");
  }

  function renewLater(): void {
    cancelRenewal?.();
    if (isClosed || standing === undefined) return;
    cancelRenewal = clock.after(renewMs, () => {
      writing = writing.then(() => (standing === undefined ? undefined : write(true)));
    });
  }

  const send = (request: Omit<ApiRequest, "query">): Promise<ApiResponse> =>
    api.request({
      ...request,
      timeoutMs: 5_000,
      ...(request.method !== "DELETE" && { query: { fieldManager: "gatewright" } }),
    });

  const remove = (which: string): Promise<ApiResponse> =>
    send({ method: "DELETE", path: `${collection}/${encodeURIComponent(which)}` });

  async function put(data: Readonly<Record<string, string>>): Promise<ApiResponse> {
    const labels = { "app.kubernetes.io/managed-by": "gatewright", [refusalsLabel]: "true" };
    const annotations = { [renewedAnnotation]: options.now().toISOString(), [versionAnnotation]: options.version };
    const create = () =>
      send({
        method: "POST",
        path: collection,
        body: {
          apiVersion: "v1",
          kind: "ConfigMap",
          metadata: { name, namespace, labels, annotations, ...owner() },
          data,
        },
      });
    const replace = () =>
      send({
        method: "PATCH",
        path: `${collection}/${name}`,
        contentType: "application/json-patch+json",
        body: [
          { op: "add", path: "/metadata/labels", value: labels },
          { op: "add", path: "/metadata/annotations", value: annotations },
          { op: "add", path: "/data", value: data },
        ],
      });
    if (standing === undefined) {
      const created = await create();
      return created.status === 409 ? await replace() : created;
    }
    const replaced = await replace();
    return replaced.status === 404 ? await create() : replaced;
  }

  const owner = () =>
    options.podUid === undefined || options.podUid === ""
      ? {}
      : { ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: options.instance, uid: options.podUid }] };

  function observeOwn(object: ConfigMap | undefined): void {
    if (hasWritten) return;
    // What an earlier process of this name has left.
    standing = object && (object.data ?? {});
    const reading = object && isOfThisRelease(object) ? decodeRefusals(object) : undefined;
    const left = reading?.kind === "refusals" ? reading.refusals.filter(({ of }) => of === "object") : undefined;
    isHeir = left !== undefined;
    reconciler.adopt(name, left);
  }

  const isOfThisRelease = ({ metadata }: ConfigMap) => metadata.annotations?.[versionAnnotation] === options.version;

  function leave(which: string, object: ConfigMap): void {
    if (isOfThisRelease(object)) reconciler.inherit(which);
    else reconciler.adopt(which, undefined);
  }

  function observeOther(which: string, object: ConfigMap | undefined): void {
    const before = others.get(which);
    if (before !== undefined && object !== undefined && deepEqual(before.object, object)) return;
    before?.cancel();
    others.delete(which);
    if (object === undefined) {
      if (before !== undefined) leave(which, before.object);
      return;
    }
    const reading = decodeRefusals(object);
    if (reading.kind === "unreadable")
      logger.warn(
        { configMap: objectKey(namespace, which) },
        `what it says Envoys refuse is ignored: ${reading.message}`,
      );
    reconciler.adopt(which, reading.kind === "refusals" ? reading.refusals : undefined);
    others.set(which, { object, cancel: expire(which, object) });
  }

  function expire(which: string, object: ConfigMap): () => void {
    let cancel = clock.after(expiryMs, function gone() {
      leave(which, object);
      cancel = clock.after(expiryMs, gone);
      if (!options.isLeader()) return;
      logger.info({ configMap: objectKey(namespace, which) }, "its replica is gone, and it is deleted");
      remove(which).catch((error: unknown) => logger.warn({ err: error }, "what a replica left cannot be deleted"));
    });
    return () => cancel();
  }

  const ownNamespace = objectKey(namespace, refusalsPrefix);

  return {
    observe: (changes) => {
      for (const { kind, key, object } of changes) {
        if (kind !== "ConfigMap" || isClosed || !key.startsWith(ownNamespace)) continue;
        const which = key.slice(namespace.length + 1);
        const marked = object?.metadata.labels?.[refusalsLabel] === "true" ? object : undefined;
        if (which === name) observeOwn(object);
        else observeOther(which, marked);
      }
    },
    update,
    close: async () => {
      isClosed = true;
      cancelWrite?.();
      cancelRenewal?.();
      for (const { cancel } of others.values()) cancel();
      others.clear();
      await writing;
      await write(false);
    },
  };
}

import type { Refusal } from "../gatewayapi/index.ts";
import { quarantineKey } from "../gatewayapi/index.ts";
import type { Listener, ProxyKey } from "../ir/index.ts";
import type { Clock, Source } from "../lib/index.ts";
import type { Publisher, Verdict } from "./publisher.ts";

export type ListenerVerdictsOptions = {
  /** Listeners that Envoy refused, by `listenerKey`. */
  readonly refused: Source<Refusal>;
  readonly quarantine: Source<Refusal>;
  /** A listener of a proxy and its key, by its name in Envoy. */
  readonly find: (proxy: ProxyKey, name: string) => { readonly key: string; readonly listener: Listener } | undefined;
  /** A mark of an object's present content, or undefined if it is gone. By `quarantineKey`. */
  readonly contentOf: (object: string) => string | undefined;
  readonly retry: Publisher["retry"];
  readonly clock: Clock;
};

export type ListenerVerdicts = {
  /** Takes an Envoy's answer on listeners. True where it changes something: the loop must run again. */
  readonly judge: (verdict: Verdict) => boolean;
  readonly close: () => void;
};

/** Another process has the port: content is not to blame, and the same content may do later. */
const isBindFailure = (message: string): boolean => /cannot bind/i.test(message);

const firstRetryMs = 1_000;
const lastRetryMs = 30_000;

/** What follows from Envoy's word on a listener: its status, a MeshConfig that asks for a log which cannot be written, and another try. */
export function createListenerVerdicts(options: ListenerVerdictsOptions): ListenerVerdicts {
  const { refused, quarantine, find, contentOf, retry, clock } = options;
  /** Listeners that wait for their port, by `proxy name`. */
  const waiting = new Map<string, { readonly delayMs: number; readonly cancel: () => void }>();

  function accept(proxy: ProxyKey, name: string): boolean {
    const at = `${proxy} ${name}`;
    waiting.get(at)?.cancel();
    waiting.delete(at);
    const key = find(proxy, name)?.key;
    if (key === undefined || refused.get(key) === undefined) return false;
    refused.set(key, undefined);
    return true;
  }

  function refuse(proxy: ProxyKey, name: string, message: string): boolean {
    if (isBindFailure(message)) tryLater(proxy, name);
    const found = find(proxy, name);
    if (found === undefined) return false;
    const gateway = contentOf(`Gateway ${proxy}`) ?? "";
    refused.set(found.key, { message, content: gateway });
    holdLog(found.listener, message);
    return true;
  }

  /** All listeners of the class would stay refused: the log goes elsewhere until the MeshConfig changes. */
  function holdLog({ accessLog }: Listener, message: string): void {
    if (accessLog?.origin === undefined || !message.includes(`'${accessLog.path}'`)) return;
    const { kind, namespace, name } = accessLog.origin;
    const mesh = quarantineKey(kind, namespace, name);
    const content = contentOf(mesh);
    if (content !== undefined) quarantine.set(mesh, { message, content });
  }

  function tryLater(proxy: ProxyKey, name: string): void {
    const at = `${proxy} ${name}`;
    const before = waiting.get(at);
    before?.cancel();
    const delayMs = before === undefined ? firstRetryMs : Math.min(2 * before.delayMs, lastRetryMs);
    waiting.set(at, { delayMs, cancel: clock.after(delayMs, () => retry(proxy, "listener", name)) });
  }

  return {
    judge: ({ kind, proxy, resources, message }) =>
      resources
        .map(({ name }) => (kind === "accepted" ? accept(proxy, name) : refuse(proxy, name, message)))
        .includes(true),
    close: () => {
      for (const { cancel } of waiting.values()) cancel();
      waiting.clear();
    },
  };
}

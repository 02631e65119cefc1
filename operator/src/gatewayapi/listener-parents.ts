// Listeners are stated by Gateways and by ListenerSets. Tables that hold those of both are keyed like this.

export type ListenerParentKind = "Gateway" | "ListenerSet";

const setMark = "ListenerSet ";

/** The key of who states listeners: a Gateway's own key, that of a ListenerSet with the kind before it. */
export const parentKey = (kind: ListenerParentKind, key: string): string =>
  kind === "Gateway" ? key : `${setMark}${key}`;

export const parseParentKey = (text: string): { readonly kind: ListenerParentKind; readonly key: string } =>
  text.startsWith(setMark) ? { kind: "ListenerSet", key: text.slice(setMark.length) } : { kind: "Gateway", key: text };

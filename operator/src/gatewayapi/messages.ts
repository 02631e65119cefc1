/** The API takes 32,768 characters; nobody reads more than these, and what users write must not fill the store of the cluster. */
export const maxMessageLength = 1024;

/** Cuts between characters, never within one. */
export function cutMessage(message: string): string {
  if (message.length <= maxMessageLength) return message;
  let end = maxMessageLength - 1;
  const last = message.charCodeAt(end - 1);
  const isHighSurrogate = last >= 0xd800 && last <= 0xdbff;
  if (isHighSurrogate) end--;
  return `${message.slice(0, end)}…`;
}

/** The first few of `items` and how many there are beyond. */
export function listed(items: readonly string[], separator = ", ", shown = 5): string {
  const head = items.slice(0, shown).join(separator);
  return items.length > shown ? `${head}${separator}and ${items.length - shown} more` : head;
}

/** A kind as people write it: `Secret`, `example.com/Widget`. */
export const formatKind = ({ group, kind }: { readonly group: string; readonly kind: string }): string =>
  group === "" ? kind : `${group}/${kind}`;

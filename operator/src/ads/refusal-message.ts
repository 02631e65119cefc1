/** What is shown of a client's refusal: logs and statuses must not carry a resource, which may hold keys. */
const maxLength = 512;

/** Envoy puts the text of the whole resource before (`text: reason`) or after its reason. The mark is protobuf's, against parsing. */
const resourceText = /goo\.gle\/\w+\s[\s\S]*?(\n: |$)/g;

/** The reason in a client's refusal: in one line, without the resource's text, cut. */
export function refusalMessage(text: string): string {
  const reason = text
    .replaceAll(resourceText, "")
    .replaceAll(/\s+/g, " ")
    .replace(/[:\s]+$/, "")
    .trim();
  return reason === "" ? "refused; the reason did not come with it" : cut(reason);
}

function cut(text: string): string {
  if (text.length <= maxLength) return text;
  let end = maxLength - 1;
  // A surrogate pair is one character.
  if (/[\uD800-\uDBFF]/.test(text.charAt(end - 1))) end--;
  return `${text.slice(0, end)}…`;
}

/** Characters that names are made of; a name inside a longer one is not mentioned. */
const nameCharacter = /[\w./|*+-]/;

/** Tells which names a text mentions: Envoy names the clusters and listeners that it refuses, and often others. */
export function mentions(text: string, name: string): boolean {
  if (name === "") return false;
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1))
    if (!nameCharacter.test(text.charAt(at - 1)) && !nameCharacter.test(text.charAt(at + name.length))) return true;
  return false;
}

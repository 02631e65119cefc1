import { createHash } from "node:crypto";
import type { Proxy } from "../ir/index.ts";

/** The longest that names of Services and values of labels may be. */
const maxLength = 63;

type Owner = Pick<Proxy, "name" | "className">;

/**
 * The name of all that is made for a Gateway: `<gateway>-<class>`, as https://gateway-api.sigs.k8s.io/geps/gep-1762/ has it. Names of
 * Services are narrower than those of Gateways, and the HorizontalPodAutoscaler, the pods' owner and the rest share the one name: what
 * does not fit is changed, and a hash of the whole keeps two such names apart.
 */
export const infraName = (owner: Owner): string => nameOf(owner, "");

/** The name of one more object of a kind. What follows the name of the rest is letters, digits and dashes. */
export const furtherName = (owner: Owner, what: string): string => nameOf(owner, `-${what}`);

function nameOf({ name, className }: Owner, suffix: string): string {
  const whole = `${name}-${className}${suffix}`;
  const spelled = whole.replaceAll(".", "-").replace(/^(?=[^a-z])/, "gw-");
  // `a-b` of class `c` and `a` of class `b-c` would share a name; a class whose name has no dash leaves no doubt.
  return fit(spelled, whole, className.includes("-") ? `${name}/${className}${suffix}` : undefined);
}

/** A name as the value of a label. */
export const labelValue = (name: string): string => fit(name, name);

function fit(text: string, whole: string, doubtful?: string): string {
  if (text === whole && text.length <= maxLength && doubtful === undefined) return text;
  const hash = createHash("sha256")
    .update(doubtful ?? whole)
    .digest("hex")
    .slice(0, 8);
  return `${text.slice(0, maxLength - hash.length - 1).replace(/[-.]+$/, "")}-${hash}`;
}

import type { Resource } from "./resource.ts";
import type { ResourceType } from "./resource-types.ts";

/** More than a proxy can have refused in good faith; the oldest are forgotten first. */
const maxRefusals = 4096;

/**
 * What the clients of one proxy have refused, by content: it is never sent to them again. Stays over reconnects, and when the
 * content goes and comes back: refusing a resource again and again can cost Envoy half a core.
 */
export class Refusals {
  /** What the client said, by content. */
  readonly #messages = new Map<string, string>();

  get size(): number {
    return this.#messages.size;
  }

  /** Returns false where it was known already. */
  add(type: ResourceType, resource: Resource, message: string): boolean {
    const key = keyOf(type, resource.name, resource.version);
    if (this.#messages.has(key)) return false;
    this.#messages.set(key, message);
    for (const oldest of this.#messages.keys()) {
      if (this.#messages.size <= maxRefusals) break;
      this.#messages.delete(oldest);
    }
    return true;
  }

  has(type: ResourceType, resource: Resource): boolean {
    return this.#messages.size > 0 && this.#messages.has(keyOf(type, resource.name, resource.version));
  }

  messageOf(type: ResourceType, resource: Resource): string | undefined {
    return this.#messages.size === 0 ? undefined : this.#messages.get(keyOf(type, resource.name, resource.version));
  }

  forget(type: ResourceType, resource: Resource): boolean {
    return this.#messages.delete(keyOf(type, resource.name, resource.version));
  }
}

const keyOf = (type: ResourceType, name: string, version: string): string => `${type} ${version} ${name}`;

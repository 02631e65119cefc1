import type { Resource } from "./resource.ts";
import type { ResourceType } from "./resource-types.ts";

/** More than a proxy can have refused in good faith; the oldest are forgotten first. */
const maxRefusals = 4096;

export type Refusal = {
  readonly type: ResourceType;
  readonly name: string;
  readonly version: string;
  /** What the client said. */
  readonly message: string;
};

/**
 * What the clients of one proxy have refused, by content: it is never sent to them again. Stays over reconnects, and when the
 * content goes and comes back: refusing a resource again and again can cost Envoy half a core.
 */
export class Refusals {
  readonly #byContent = new Map<string, Refusal>();

  get size(): number {
    return this.#byContent.size;
  }

  all(): Iterable<Refusal> {
    return this.#byContent.values();
  }

  add(type: ResourceType, { name, version }: Resource, message: string): void {
    this.#byContent.set(keyOf(type, name, version), { type, name, version, message });
    for (const oldest of this.#byContent.keys()) {
      if (this.#byContent.size <= maxRefusals) break;
      this.#byContent.delete(oldest);
    }
  }

  has(type: ResourceType, resource: Resource): boolean {
    return this.get(type, resource) !== undefined;
  }

  get(type: ResourceType, { name, version }: Resource): Refusal | undefined {
    return this.#byContent.size === 0 ? undefined : this.#byContent.get(keyOf(type, name, version));
  }

  forget(type: ResourceType, { name, version }: Resource): void {
    this.#byContent.delete(keyOf(type, name, version));
  }
}

const keyOf = (type: ResourceType, name: string, version: string): string => `${type} ${version} ${name}`;

import { Fanout } from "./fanout.ts";
import { Publications } from "./publications.ts";
import { type Refusal, Refusals } from "./refusals.ts";
import type { Resource, ResourceChange, Verdict } from "./resource.ts";
import type { ResourceType } from "./resource-types.ts";
import type { Searches } from "./searches.ts";
import { Snapshot } from "./snapshot.ts";
import type { Stream } from "./stream.ts";

/** What is served under one key: all clients that come with it get the same. */
export class Proxy {
  readonly key: string;
  readonly snapshot = new Snapshot();
  readonly refusals = new Refusals();
  readonly fanout: Fanout;
  readonly searches: Searches;
  readonly publications = new Publications();
  readonly streams = new Set<Stream>();

  constructor(key: string, nextSerial: () => number, createSearches: (proxy: Proxy) => Searches) {
    this.key = key;
    this.fanout = new Fanout(nextSerial);
    this.searches = createSearches(this);
  }

  /**
   * Takes changes in; the streams are to run. Returns undefined where they make no difference, else the verdicts that are known already, on content that was
   * refused before: it will not be sent, so nobody will say it again.
   */
  apply(changes: readonly ResourceChange[]): readonly Verdict[] | undefined {
    const first = !this.snapshot.published;
    const applied = this.snapshot.apply(changes);
    if (applied.length === 0 && !first) return undefined;
    this.publications.add(applied);
    return applied.flatMap(({ type, after }): Verdict[] => {
      const refusal = after && this.refusals.get(type, after);
      return refusal === undefined ? [] : [this.#verdict(refusal)];
    });
  }

  /** A client refused this content. Returns what to make of it, or undefined where it was known. */
  refuse(type: ResourceType, resource: Resource, message: string): Verdict | undefined {
    if (this.refusals.has(type, resource)) return undefined;
    // Some of its siblings may have taken it.
    for (const stream of this.streams) stream.reconsider(type, resource.name);
    this.refusals.add(type, resource, message);
    return this.#verdict({ type, name: resource.name, version: resource.version, message });
  }

  /**
   * A client took content that another may have refused: it was of another mind, or its place had other means. Returns what it was.
   */
  accept(type: ResourceType, resources: readonly Resource[]): readonly Resource[] {
    return this.refusals.size === 0 ? [] : resources.filter((resource) => this.#pardon(type, resource));
  }

  /** Forgets that a resource's present content was refused. */
  retry(type: ResourceType, name: string): void {
    const resource = this.snapshot.get(type, name);
    if (resource !== undefined) this.#pardon(type, resource);
  }

  #pardon(type: ResourceType, resource: Resource): boolean {
    if (!this.refusals.has(type, resource)) return false;
    for (const stream of this.streams) stream.reconsider(type, resource.name);
    this.refusals.forget(type, resource);
    return true;
  }

  #verdict({ type, name, version, message }: Refusal): Verdict {
    return { kind: "refused", proxy: this.key, type, resources: [{ name, version }], message };
  }
}

export const nameAndVersion = ({ name, version }: { readonly name: string; readonly version: string }) => ({
  name,
  version,
});

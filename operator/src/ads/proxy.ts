import { Fanout } from "./fanout.ts";
import { Refusals } from "./refusals.ts";
import type { ResourceChange, Verdict } from "./resource.ts";
import type { ResourceType } from "./resource-types.ts";
import { Snapshot } from "./snapshot.ts";
import type { Stream } from "./stream.ts";

/** What is served under one key: all clients that come with it get the same. */
export class Proxy {
  readonly key: string;
  readonly snapshot = new Snapshot();
  readonly refusals = new Refusals();
  readonly fanout: Fanout;
  readonly streams = new Set<Stream>();

  constructor(key: string, nextSerial: () => number) {
    this.key = key;
    this.fanout = new Fanout(nextSerial);
  }

  /**
   * Takes changes in. Returns undefined where they make no difference, else the verdicts that are known already, on content that was
   * refused before: it will not be sent, so nobody will say it again.
   */
  apply(changes: readonly ResourceChange[]): readonly Verdict[] | undefined {
    const first = !this.snapshot.published;
    const applied = this.snapshot.apply(changes);
    if (applied.length === 0 && !first) return undefined;
    for (const stream of this.streams) stream.note(applied);
    return applied.flatMap(({ type, after }): Verdict[] => {
      const message = after && this.refusals.messageOf(type, after);
      if (after === undefined || message === undefined) return [];
      return [{ kind: "refused", proxy: this.key, type, resources: [nameAndVersion(after)], message }];
    });
  }

  /** Forgets that a resource's present content was refused. Returns whether it was. */
  retry(type: ResourceType, name: string): boolean {
    const resource = this.snapshot.get(type, name);
    return resource !== undefined && this.refusals.forget(type, resource);
  }
}

export const nameAndVersion = ({ name, version }: { readonly name: string; readonly version: string }) => ({
  name,
  version,
});

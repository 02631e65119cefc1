import { type Have, lacks, told, uncertain, waits } from "./have.ts";
import type { Refusals } from "./refusals.ts";
import type { Resource } from "./resource.ts";
import { perType, type ResourceType, traits } from "./resource-types.ts";
import type { Snapshot } from "./snapshot.ts";

/**
 * What a client is to see at a name: a resource, `nothing`; `later` where it is not its turn yet; `refused` where it would be
 * content that was refused and there is no older one.
 */
export type Shown = Resource | "nothing" | "later" | "refused";

/** What is to be done about a name: send a resource, say that it is `gone`, or leave to the client what it has. */
export type Desired = Resource | "gone" | "leave";

/**
 * The snapshot as one stream's client is to see it at the moment: changes wait behind a curtain until it is their turn, and refused
 * content is replaced by what was accepted last.
 */
export class View {
  readonly #snapshot: Snapshot;
  readonly #refusals: Refusals;
  /** What to show instead of the snapshot's content; undefined: whatever the client has. */
  readonly #curtain = perType(() => new Map<string, Resource | undefined>());

  constructor(snapshot: Snapshot, refusals: Refusals) {
    this.#snapshot = snapshot;
    this.#refusals = refusals;
  }

  isHidden(type: ResourceType, name: string): boolean {
    return this.#curtain[type].has(name);
  }

  /** What the curtain shows. */
  hidden(type: ResourceType, name: string): Resource | undefined {
    return this.#curtain[type].get(name);
  }

  hiddenNames(type: ResourceType): Iterable<string> {
    return this.#curtain[type].keys();
  }

  /** From now on the client sees `instead` at this name, whatever the snapshot says. */
  hide(type: ResourceType, name: string, instead: Resource | undefined): void {
    this.#curtain[type].set(name, instead);
  }

  unhide(type: ResourceType, name: string): void {
    this.#curtain[type].delete(name);
  }

  /** What the client is given in place of this content: itself, or what was accepted last if it was refused. */
  given(
    type: ResourceType,
    resource: Resource | undefined,
    good = resource && this.#snapshot.goodOf(type, resource.name),
  ): Resource | undefined {
    if (resource === undefined || !this.#refusals.has(type, resource)) return resource;
    return good === undefined || this.#refusals.has(type, good) ? undefined : good;
  }

  shown(type: ResourceType, name: string): Shown {
    const curtain = this.#curtain[type];
    const hidden = curtain.size > 0 && curtain.has(name);
    const resource = hidden ? curtain.get(name) : this.#snapshot.get(type, name);
    if (resource === undefined) return hidden ? "later" : "nothing";
    return this.given(type, resource) ?? "refused";
  }

  desired(type: ResourceType, name: string, have: Have): Desired {
    const shown = this.shown(type, name);
    switch (shown) {
      case "later":
        return "leave";
      case "refused":
        if (have === waits || (have === told && !traits[type].goneEndsWaiting)) return this.#wayOut(type, name);
        return "leave";
      case "nothing":
        return traits[type].wildcard || have === waits || have === lacks ? "gone" : "leave";
      default:
        return this.#isOutOfPlace(type, name, have, shown) ? "leave" : shown;
    }
  }

  /** Who waits for content that is refused must not wait for ever. */
  #wayOut(type: ResourceType, name: string): Desired {
    return traits[type].goneEndsWaiting ? "gone" : (this.#snapshot.get(type, name) ?? "gone");
  }

  /** Whether it is better not to give the client what is shown in place of refused content. */
  #isOutOfPlace(type: ResourceType, name: string, have: Have, shown: Resource): boolean {
    const current = this.#snapshot.get(type, name)?.version;
    if (current === undefined || current === shown.version) return false;
    // A client that is ahead is not set back: a sibling of it may have refused what it has taken.
    if (have === current) return true;
    // A listener's older edition may refer to what is gone, and then wait for ever.
    return type === "listener" && !this.isHidden(type, name) && typeof have !== "string";
  }

  /** Every name that the client may see. */
  *names(type: ResourceType): Iterable<string> {
    yield* this.#snapshot.names(type);
    for (const name of this.#curtain[type].keys()) if (this.#snapshot.get(type, name) === undefined) yield name;
  }

  /** The content of what a client has, if it is still known; where that is not certain, of what it surely can take. */
  contentOf(type: ResourceType, name: string, version: string): Resource | undefined {
    if (version === uncertain) return this.#snapshot.goodOf(type, name);
    const candidates = [
      this.#curtain[type].get(name),
      this.#snapshot.get(type, name),
      this.#snapshot.goodOf(type, name),
    ];
    return candidates.find((candidate) => candidate?.version === version);
  }
}

import type { AppliedChange, Resource, ResourceChange } from "./resource.ts";
import { perType, type ResourceType } from "./resource-types.ts";

/** The resources of one proxy, as published last, and which of them some client has accepted. */
export class Snapshot {
  readonly #current = perType(() => new Map<string, Resource>());
  /** Resources whose current content no client has accepted yet, with the content that was accepted last. */
  readonly #unproven = perType(() => new Map<string, Resource | undefined>());
  readonly #hosts = new Map<string, Set<string>>();
  #published = false;

  /** Whether there was any publication: before, there is nothing to say to a client, not even that there is nothing. */
  get published(): boolean {
    return this.#published;
  }

  /** Takes changes in and returns those that made a difference. Costs what the changes are, not what there is. */
  apply(changes: readonly ResourceChange[]): readonly AppliedChange[] {
    this.#published = true;
    return changes.flatMap((change) => this.#applyOne(change));
  }

  #applyOne({ type, name, resource: after }: ResourceChange): AppliedChange[] {
    const before = this.#current[type].get(name);
    if (before?.version === after?.version) return [];
    const good = this.goodOf(type, name);
    const unproven = this.#unproven[type];
    if (after === undefined) {
      this.#current[type].delete(name);
      unproven.delete(name);
      if (type === "virtualHost") this.#dropHost(name);
    } else {
      this.#current[type].set(name, after);
      if (!unproven.has(name)) unproven.set(name, before);
      if (type === "virtualHost") this.#addHost(name);
    }
    return [{ type, name, before, good, after }];
  }

  get(type: ResourceType, name: string): Resource | undefined {
    return this.#current[type].get(name);
  }

  /** The content that was accepted last, which may be the current one. */
  goodOf(type: ResourceType, name: string): Resource | undefined {
    const unproven = this.#unproven[type];
    return unproven.has(name) ? unproven.get(name) : this.#current[type].get(name);
  }

  isProven(type: ResourceType, resource: Resource): boolean {
    return this.goodOf(type, resource.name)?.version === resource.version;
  }

  /** A client took this content. False: that was known. */
  accepted(type: ResourceType, resource: Resource): boolean {
    const unproven = this.#unproven[type];
    if (!unproven.has(resource.name)) return false;
    if (this.#current[type].get(resource.name)?.version === resource.version) return unproven.delete(resource.name);
    if (unproven.get(resource.name)?.version === resource.version) return false;
    unproven.set(resource.name, resource);
    return true;
  }

  names(type: ResourceType): Iterable<string> {
    return this.#current[type].keys();
  }

  size(type: ResourceType): number {
    return this.#current[type].size;
  }

  /** Names of the virtual hosts that belong to a route table. */
  hostsOf(routeTable: string): Iterable<string> {
    return this.#hosts.get(routeTable) ?? [];
  }

  #addHost(name: string): void {
    const table = routeTableOf(name);
    const hosts = this.#hosts.get(table);
    if (hosts === undefined) this.#hosts.set(table, new Set([name]));
    else hosts.add(name);
  }

  #dropHost(name: string): void {
    const table = routeTableOf(name);
    const hosts = this.#hosts.get(table);
    hosts?.delete(name);
    if (hosts?.size === 0) this.#hosts.delete(table);
  }
}

/** Envoy takes what stands before the last slash of a virtual host's resource name for the name of its route table. */
export function routeTableOf(virtualHostName: string): string {
  return virtualHostName.slice(0, Math.max(0, virtualHostName.lastIndexOf("/")));
}

import { quarantineKey, type Refusal } from "../gatewayapi/index.ts";
import { type Origin, originOfRequestFilter, type Route, type VirtualHost } from "../ir/index.ts";
import type { Logger, Source } from "../lib/index.ts";
import type { Verdict } from "./publisher.ts";
import { createSearch, type Search } from "./search.ts";

/** What the quarantine must know of the configuration that was sent. */
export type QuarantineView = {
  /** The virtual hosts inside a resource of type `route` or `virtualHost`, as long as it is the version in question. */
  readonly virtualHostsIn: (verdict: Verdict, resource: Verdict["resources"][number]) => readonly VirtualHost[];
  /** The version of a resource that was published last, or undefined where there is none. */
  readonly publishedVersion: (proxy: string, type: Verdict["type"], name: string) => string | undefined;
  /** A mark of the object's present content (`metadata.generation`), or undefined if it is gone. By `quarantineKey`. */
  readonly contentOf: (suspect: string) => string | undefined;
  /** Whether it is left out already because another replica's Envoys refuse it. Never, unless given. */
  readonly isRefusedElsewhere?: (suspect: string) => boolean;
};

export type Quarantine = {
  /** Takes an Envoy's answer. True where something was put in quarantine or released: the loop must run again. */
  readonly judge: (verdict: Verdict) => boolean;
  /** After a publication: a trial whose resource came out as Envoy has it already gets no answer, for it passed before. True as above. */
  readonly published: () => boolean;
  /** A resource that proxies need no longer: nothing is kept of it. */
  readonly gone: (resource: Pick<Verdict, "proxy" | "type"> & { readonly name: string }) => void;
  /** Objects changed: what was held against their old content is forgotten. True where that concerns a held one. */
  readonly forget: (changed: Iterable<string>) => boolean;
  /** Whether it is left out only until a search has found who is to blame. */
  readonly isSought: (suspect: string) => boolean;
};

/** What the log says once it is known who is to blame. */
const isLeftOut = "Envoy refuses what this object asks for; it is left out until it changes";

type Running = { readonly search: Search; readonly message: string; readonly verdict: Verdict; readonly name: string };

/**
 * Traces a refused route table or virtual host to the objects behind it and takes them out, so that the rest is served.
 *
 * Suspects are the HTTPFilters in the refused resource that no Envoy has accepted yet with their present content; where
 * there is none, its routes, of whatever kind, likewise. An HTTPFilter of listeners is refused by itself. Translation reads `table` and leaves out what stands in it.
 */
export function createQuarantine(table: Source<Refusal>, view: QuarantineView, logger: Logger): Quarantine {
  /** Content that some Envoy accepted, by suspect. */
  const proven = new Map<string, string>();
  /** Searches under way, by proxy, type and resource name. */
  const searches = new Map<string, Running>();
  /** The version of each resource that was accepted last, by the same key. */
  const acceptedVersions = new Map<string, string>();

  const searchKey = ({ proxy, type }: Pick<Verdict, "proxy" | "type">, name: string) => `${proxy} ${type} ${name}`;

  const isHeld = (suspect: string) => table.get(suspect) !== undefined || view.isRefusedElsewhere?.(suspect) === true;

  function hold(suspect: string, message: string): void {
    const content = view.contentOf(suspect);
    if (content !== undefined) table.set(suspect, { message, content });
  }

  /** Makes `table` say what the search holds now. */
  function follow({ search, message }: Running, released: readonly string[]): void {
    for (const suspect of released) if (!search.held.has(suspect)) table.set(suspect, undefined);
    for (const suspect of search.held) hold(suspect, message);
  }

  function accepted(verdict: Verdict): boolean {
    let changed = false;
    for (const resource of verdict.resources) {
      const hosts = view.virtualHostsIn(verdict, resource);
      for (const suspect of [...suspectsIn(hosts, filtersOf), ...suspectsIn(hosts, routesOf)]) {
        const content = view.contentOf(suspect);
        if (content !== undefined && !isHeld(suspect)) proven.set(suspect, content);
      }
      const key = searchKey(verdict, resource.name);
      acceptedVersions.set(key, resource.version);
      const running = searches.get(key);
      if (running === undefined || hosts.length === 0) continue;
      pass(key, running);
      changed = true;
    }
    return changed;
  }

  function pass(key: string, running: Running): void {
    const before = [...running.search.held];
    running.search.passed();
    follow(running, before);
    if (!running.search.active()) searches.delete(key);
  }

  function refused(verdict: Verdict): boolean {
    let changed = false;
    for (const resource of verdict.resources) {
      const key = searchKey(verdict, resource.name);
      const running = searches.get(key);
      if (running !== undefined) {
        const before = [...running.search.held];
        const culprit = running.search.failed();
        follow(running, before);
        if (culprit !== undefined)
          logger.warn({ proxy: verdict.proxy, object: culprit, envoy: verdict.message }, isLeftOut);
        if (!running.search.active()) searches.delete(key);
        changed = true;
        continue;
      }
      const hosts = view.virtualHostsIn(verdict, resource);
      if (hosts.length === 0) continue;
      const filters = suspectsIn(hosts, filtersOf);
      // One of them is out already because of another resource, and this one is about to come without it.
      if (filters.some(isHeld)) continue;
      const suspects = unproven(filters) ?? unproven(suspectsIn(hosts, routesOf)) ?? [];
      if (suspects.length === 0) {
        logger.error(
          { proxy: verdict.proxy, type: verdict.type, resource: resource.name, envoy: verdict.message },
          "Envoy refuses a resource that no single object explains",
        );
        continue;
      }
      const search = createSearch(suspects);
      const started = { search, message: verdict.message, verdict, name: resource.name };
      follow(started, []);
      logger.warn(
        { proxy: verdict.proxy, objects: suspects, envoy: verdict.message },
        suspects.length === 1 ? isLeftOut : "Envoy refuses what one of these objects asks for; looking for it",
      );
      if (suspects.length > 1) searches.set(key, started);
      changed = true;
    }
    return changed;
  }

  /** An HTTPFilter's configuration for listeners is a resource of its own: there is nobody else to suspect. */
  function refusedFilters(verdict: Verdict): boolean {
    let changed = false;
    for (const { name, version } of verdict.resources) {
      const origin = originOfRequestFilter(name);
      const suspect = origin && quarantineKey(origin.kind, origin.namespace, origin.name);
      if (suspect === undefined || isHeld(suspect)) continue;
      if (view.publishedVersion(verdict.proxy, verdict.type, name) !== version) continue;
      hold(suspect, verdict.message);
      logger.warn({ proxy: verdict.proxy, objects: [suspect], envoy: verdict.message }, isLeftOut);
      changed = true;
    }
    return changed;
  }

  function unproven(suspects: readonly string[]): readonly string[] | undefined {
    const left = suspects.filter((suspect) => !isHeld(suspect) && proven.get(suspect) !== view.contentOf(suspect));
    return left.length === 0 ? undefined : left;
  }

  return {
    judge: (verdict) => {
      if (verdict.type === "extension") return verdict.kind === "refused" && refusedFilters(verdict);
      if (verdict.type !== "route" && verdict.type !== "virtualHost") return false;
      return verdict.kind === "accepted" ? accepted(verdict) : refused(verdict);
    },
    published: () => {
      let changed = false;
      for (const [key, running] of searches) {
        const version = view.publishedVersion(running.verdict.proxy, running.verdict.type, running.name);
        if (version === undefined) searches.delete(key);
        else if (version === acceptedVersions.get(key)) pass(key, running);
        else continue;
        changed = true;
      }
      return changed;
    },
    gone: (resource) => {
      acceptedVersions.delete(searchKey(resource, resource.name));
    },
    forget: (changed) => {
      let concerned = false;
      for (const suspect of changed) {
        proven.delete(suspect);
        if (table.get(suspect) === undefined || table.get(suspect)?.content === view.contentOf(suspect)) continue;
        table.set(suspect, undefined);
        concerned = true;
      }
      return concerned;
    },
    isSought: (suspect) => [...searches.values()].some(({ search }) => search.held.has(suspect)),
  };
}

const filtersOf = ({ extensions }: Route): readonly Origin[] => extensions.map(({ origin }) => origin);
const routesOf = ({ origin }: Route): readonly Origin[] => [origin];

/** Keys of the objects that these virtual hosts are made from, each once, in order. */
const suspectsIn = (
  hosts: readonly VirtualHost[],
  originsOf: (route: Route) => readonly Origin[],
): readonly string[] => [
  ...new Set(
    hosts
      .flatMap(({ routes }) => routes)
      .flatMap(originsOf)
      .map(({ kind, namespace, name }) => quarantineKey(kind, namespace, name)),
  ),
];

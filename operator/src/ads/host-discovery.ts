import { type Have, waits } from "./have.ts";
import type { Resource } from "./resource.ts";
import { routeTableOf, type Snapshot } from "./snapshot.ts";
import type { TypeSession } from "./type-session.ts";
import type { Desired, View } from "./view.ts";

/**
 * When virtual hosts of which route table may be sent (VHDS). As Envoy 1.40 was seen to do it:
 *
 * - It asks once for all virtual hosts there are, when the first route table with VHDS has arrived, and never for those of another.
 * - It drops virtual hosts whose route table it does not have, and remembers them all the same: at the next connection it says
 *   that it has them. So they must not be sent early, and those of a table that it has let go of must be taken back.
 * - A table becomes usable with the first word on its virtual hosts. Where there are none, the removal of one that never was will do.
 */
export class HostDiscovery {
  readonly #snapshot: Snapshot;
  readonly #view: View;
  readonly #routes: TypeSession;
  readonly #hosts: TypeSession;
  /** Route tables that the client has. */
  readonly #held = new Set<string>();
  /** What the client said it has before it said which route tables it has. */
  #claims = new Map<string, string>();

  constructor(snapshot: Snapshot, view: View, routes: TypeSession, hosts: TypeSession) {
    this.#snapshot = snapshot;
    this.#view = view;
    this.#routes = routes;
    this.#hosts = hosts;
  }

  /** What the client has of a virtual host that it is to see: nothing without its table. */
  given(name: string, seen: Resource | undefined): Resource | undefined {
    return this.#held.has(routeTableOf(name)) ? seen : undefined;
  }

  desired(name: string, have: Have): Desired {
    const table = routeTableOf(name);
    if (!this.#held.has(table)) return "gone";
    const desired = this.#view.desired("virtualHost", name, have);
    // The table is gone from the snapshot with its hosts, but connections that drain still use it.
    const drains = desired === "gone" && typeof have === "string" && this.#snapshot.get("route", table) === undefined;
    return drains ? "leave" : desired;
  }

  /** The client asks for all virtual hosts and says which it has. */
  asked(claims: ReadonlyMap<string, string>): void {
    this.#claims = new Map(claims);
    if (this.#routes.asked) this.#settleClaims();
    for (const table of this.#held) this.#fill(table, claims);
  }

  /** The client's first word on route tables; `tables` are those that it says it has. */
  claimed(tables: Iterable<string>): void {
    for (const table of tables) this.#held.add(table);
    const claims = this.#claims;
    this.#settleClaims();
    if (this.#hosts.asked) for (const table of this.#held) this.#fill(table, claims);
  }

  /** The client has taken a route table. */
  delivered(table: string): void {
    if (this.#held.has(table)) return;
    this.#held.add(table);
    if (this.#hosts.asked) this.#fill(table, new Map());
  }

  /** The client asks anew for a route table: it has forgotten it, and its virtual hosts with it. */
  forgotten(table: string): void {
    this.#held.delete(table);
  }

  /** The client has let go of a route table. */
  released(table: string): void {
    if (!this.#held.delete(table) || !this.#hosts.asked) return;
    const names = this.#hostsToSee(table);
    for (const name of this.#hosts.behind()) if (routeTableOf(name) === table) names.add(name);
    for (const name of names) {
      const shown = this.#view.shown("virtualHost", name);
      this.#hosts.touch(name, typeof shown === "string" ? undefined : shown);
    }
  }

  #hostsToSee(table: string): Set<string> {
    const names = new Set(this.#snapshot.hostsOf(table));
    for (const name of this.#view.hiddenNames("virtualHost")) if (routeTableOf(name) === table) names.add(name);
    return names;
  }

  /** Takes back what the client says it has of tables that it does not have. */
  #settleClaims(): void {
    for (const [name, version] of this.#claims)
      if (!this.#held.has(routeTableOf(name))) this.#hosts.know(name, version);
    this.#claims = new Map();
  }

  #fill(table: string, claims: ReadonlyMap<string, string>): void {
    let any = false;
    for (const name of this.#hostsToSee(table)) {
      any = true;
      this.#hosts.know(name, claims.get(name) ?? waits);
    }
    for (const [name, version] of claims) if (routeTableOf(name) === table) this.#hosts.know(name, version);
    if (!any) this.#hosts.know(`${table}/`, waits);
  }
}

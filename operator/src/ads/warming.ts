import { waits } from "./have.ts";
import type { Resource } from "./resource.ts";
import type { TypeSession } from "./type-session.ts";
import type { View } from "./view.ts";

/**
 * Clusters that a client has been sent and that wait for their endpoints. A cluster's endpoints have the cluster's name.
 *
 * A cluster that changed is a new one to Envoy, which warms it until endpoints arrive, and does not ask again for a name that it
 * has asked for already: they must be sent again, unchanged as they may be.
 * https://www.envoyproxy.io/docs/envoy/v1.40.0/intro/arch_overview/upstream/cluster_manager#cluster-warming
 */
export class Warming {
  readonly #view: View;
  readonly #endpoints: TypeSession;
  readonly #names = new Set<string>();

  constructor(view: View, endpoints: TypeSession) {
    this.#view = view;
    this.#endpoints = endpoints;
  }

  get names(): ReadonlySet<string> {
    return this.#names;
  }

  has(name: string): boolean {
    return this.#names.has(name);
  }

  /** Clusters are on their way to the client. */
  sent(clusters: readonly Resource[]): void {
    for (const { name } of clusters) {
      if (this.#view.shown("endpoint", name) === "nothing") continue;
      this.#names.add(name);
      if (this.#endpoints.wants(name)) this.#endpoints.know(name, waits);
    }
  }

  /** The endpoints have arrived, or will not. */
  done(name: string): void {
    this.#names.delete(name);
  }
}

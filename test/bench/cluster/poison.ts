import { setTimeout as pause } from "node:timers/promises";
import { askUntil, isNotFound, isOk } from "./asking.ts";
import { type KubernetesObject, namespace, route } from "./objects.ts";
import { probeNew } from "./probes.ts";
import type { Session } from "./session.ts";
import type { Figures, Workload } from "./workload.ts";

const name = "poison";
const watchedMs = 60_000;

/** Passes Envoy's protobuf rules and our checks, and is refused by Envoy's own code. */
const filter: KubernetesObject = {
  apiVersion: "config.aether.io/v1",
  kind: "HTTPFilter",
  metadata: { name, namespace },
  spec: {
    filter: "envoy.filters.http.header_to_metadata",
    typedConfig: {
      "@type": "type.googleapis.com/envoy.extensions.filters.http.header_to_metadata.v3.Config",
      request_rules: [{ header: "x-tenant" }],
    },
  },
};

export const poison: Workload = {
  name: "W8",
  title: "new routes for a minute beside one that only Envoy itself refuses",
  whyNot: ({ side }) => (side.name === "ours" ? undefined : "it has no HTTPFilter"),
  run: async ({ session, changes, record }) => record("W8", await besidePoison(session, changes("W2"))),
};

/** `refused` counts what Envoy refused in the minute; the figures of new routes are taken meanwhile. */
async function besidePoison(session: Session, changes: number): Promise<Figures> {
  const { writer } = session;
  const before = await refused(session);
  const endMs = performance.now() + watchedMs;
  await writer.create(filter);
  await writer.create(route(name, { extension: { group: "config.aether.io", kind: "HTTPFilter", name } }));
  // Until it is known who is to blame, there is no such route.
  const { ms } = await askUntil(
    name,
    ({ status }) => status === 500,
    (answer) => isNotFound(answer) || isOk(answer),
  );
  const figures = await probeNew(session, changes);
  await pause(Math.max(0, endMs - performance.now()));
  const refusals = (await refused(session)) - before;
  await writer.remove(route(name));
  await writer.remove(filter);
  await askUntil(name, isNotFound, () => true);
  await session.quiet();
  return { ...figures, refused: refusals, untilLeftOutMs: ms };
}

/** What Envoy did not take, of all kinds that a control plane sends. */
async function refused(session: Session): Promise<number> {
  const text = await session.envoy().admin("/stats?filter=update_rejected$");
  return [...text.matchAll(/: (\d+)$/gm)].reduce((sum, [, count]) => sum + Number(count), 0);
}

// Ten thousand routes through the API server take minutes, of which nobody learns anything: they are put where it keeps them.
import { randomUUID } from "node:crypto";
import { inParallel } from "./cluster-writer.ts";
import type { KubernetesObject } from "./objects.ts";

/** Requests to etcd at one time. */
const width = 16;

/**
 * Puts HTTPRoutes into etcd as the API server would store them, with a status if one is given; all who watch see them come. One at a
 * time: a watch goes on after a revision, and what shares one with others would be missed.
 */
export async function seedRoutes(routes: readonly KubernetesObject[], status?: unknown): Promise<void> {
  await inParallel(routes, width, async (route) => {
    const response = await fetch("http://127.0.0.1:2379/v3/kv/put", {
      method: "POST",
      body: JSON.stringify({ key: base64(keyOf(route)), value: base64(JSON.stringify(stored(route, status))) }),
    });
    if (!response.ok) throw new Error(`etcd: ${response.status} ${await response.text()}`);
    await response.arrayBuffer();
  });
}

const keyOf = ({ metadata }: KubernetesObject): string =>
  `/registry/gateway.networking.k8s.io/httproutes/${metadata.namespace ?? ""}/${metadata.name}`;

const stored = (route: KubernetesObject, status: unknown) => ({
  ...route,
  ...(status !== undefined && { status }),
  metadata: {
    ...route.metadata,
    uid: randomUUID(),
    generation: 1,
    creationTimestamp: new Date().toISOString().replace(/\.\d+Z$/, "Z"),
  },
});

const base64 = (text: string): string => Buffer.from(text).toString("base64");

import { deepEqual, type Graph, type Table } from "../../lib/index.ts";
import type { Inputs } from "../inputs.ts";
import type { AttachmentView, GatewayView } from "../views.ts";
import { attachRoute } from "./attachment.ts";
import { createAttachPoints } from "./attach-points.ts";
import type { RouteObjects } from "../route-objects.ts";
import { routeKinds } from "./kinds.ts";
import { type Labels, labelsOf } from "./namespaces.ts";

/** Routes of all kinds and what became of their parents, by `routeKey`. Those without a parent of ours are not there. */
export function createAttachments(
  graph: Graph,
  { store }: Inputs,
  routes: RouteObjects,
  gateways: Table<GatewayView>,
): Table<AttachmentView> {
  const { Namespace } = store.objects;
  const attachPoints = createAttachPoints(graph, gateways);
  const namespaceLabels = graph.derive<Labels>("namespaceLabels", {
    keysOf: [Namespace],
    compute: (name) => Namespace.get(name)?.metadata.labels,
    equal: deepEqual,
  });

  return graph.derive<AttachmentView>("attachments", {
    keysOf: routes.keys,
    compute: (key) => {
      const route = routes.get(key);
      if (route === undefined) return undefined;
      const { spec } = route.object;
      const { parentRefs = [] } = spec;
      const hostnames = "hostnames" in spec ? (spec.hostnames ?? []) : [];
      const parents = attachRoute(
        { namespace: route.object.metadata.namespace ?? "", parentRefs, hostnames },
        {
          kind: routeKinds[route.kind],
          gateway: attachPoints.get,
          labels: (namespace) => labelsOf(namespace, namespaceLabels.get(namespace)),
        },
      );
      return parents.length === 0 ? undefined : { parents };
    },
    equal: deepEqual,
  });
}

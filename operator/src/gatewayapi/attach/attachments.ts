import { deepEqual, type Graph, type Table } from "../../lib/index.ts";
import type { Inputs } from "../inputs.ts";
import type { AttachmentView, GatewayView } from "../views.ts";
import { attachRoute } from "./attachment.ts";
import { createAttachPoints } from "./attach-points.ts";
import { httpRouteKind } from "./kinds.ts";
import { type Labels, labelsOf } from "./namespaces.ts";

/** HTTPRoutes and what became of their parents, by HTTPRoute key. Those without a parent of ours are not there. */
export function createAttachments(
  graph: Graph,
  { store }: Inputs,
  gateways: Table<GatewayView>,
): Table<AttachmentView> {
  const { HTTPRoute, Namespace } = store.objects;
  const attachPoints = createAttachPoints(graph, gateways);
  const namespaceLabels = graph.derive<Labels>("namespaceLabels", {
    keysOf: [Namespace],
    compute: (name) => Namespace.get(name)?.metadata.labels,
    equal: deepEqual,
  });

  return graph.derive<AttachmentView>("attachments", {
    keysOf: [HTTPRoute],
    compute: (key) => {
      const route = HTTPRoute.get(key);
      if (route === undefined) return undefined;
      const { parentRefs = [], hostnames = [] } = route.spec;
      const parents = attachRoute(
        { namespace: route.metadata.namespace ?? "", parentRefs, hostnames },
        {
          kind: httpRouteKind,
          gateway: attachPoints.get,
          labels: (namespace) => labelsOf(namespace, namespaceLabels.get(namespace)),
        },
      );
      return parents.length === 0 ? undefined : { parents };
    },
    equal: deepEqual,
  });
}

import { deepEqual, type Graph, type Table } from "../../lib/index.ts";
import type { AttachmentView } from "../views.ts";
import { attachRoute } from "./attachment.ts";
import type { AttachPoints } from "./attach-points.ts";
import type { RouteObjects } from "../route-objects.ts";
import { routeKinds } from "./kinds.ts";
import type { Labels } from "./namespaces.ts";

/** Routes of all kinds and what became of their parents, by `routeKey`. Those without a parent of ours are not there. */
export const createAttachments = (
  graph: Graph,
  routes: RouteObjects,
  attachPoints: Table<AttachPoints>,
  labels: (namespace: string) => Labels,
): Table<AttachmentView> =>
  graph.derive<AttachmentView>("attachments", {
    keysOf: routes.keys,
    compute: (key) => {
      const route = routes.get(key);
      if (route === undefined) return undefined;
      const { spec } = route.object;
      const { parentRefs = [] } = spec;
      const hostnames = "hostnames" in spec ? (spec.hostnames ?? []) : [];
      const parents = attachRoute(
        { namespace: route.object.metadata.namespace ?? "", parentRefs, hostnames },
        { kind: routeKinds[route.kind], parent: attachPoints.get, labels },
      );
      return parents.length === 0 ? undefined : { parents };
    },
    equal: deepEqual,
  });

import { type ApiServer, createListWatch } from "../../../operator/src/kubernetes/index.ts";
import { silentLogger } from "../../../operator/src/lib/index.ts";
import { namespace } from "./objects.ts";

/** What an onlooker sees of statuses. */
export type RouteWatch = {
  readonly listed: Promise<void>;
  /** Routes that are there. */
  readonly routes: () => number;
  /** Routes to which the implementation has said something. */
  readonly withStatus: () => number;
  /** Writes that left the generation as it was. */
  readonly statusWrites: () => number;
  /** `attachedRoutes` of the Gateway's first listener. */
  readonly attachedRoutes: () => number;
  /** Writes of the Gateway that left its generation as it was. */
  readonly gatewayStatusWrites: () => number;
  readonly close: () => void;
};

type Seen = { readonly generation: number | undefined; readonly hasStatus: boolean };

export function createRouteWatch(api: ApiServer, controllerName: string): RouteWatch {
  const listed = Promise.withResolvers<void>();
  const seen = new Map<string, Seen>();
  let withStatus = 0;
  let statusWrites = 0;
  let attachedRoutes = 0;
  let gatewayStatusWrites = -1;
  const root = `/apis/gateway.networking.k8s.io/v1/namespaces/${namespace}`;

  function note(key: string, now: Seen | undefined): void {
    const before = seen.get(key);
    withStatus += (now?.hasStatus === true ? 1 : 0) - (before?.hasStatus === true ? 1 : 0);
    if (before !== undefined && now !== undefined && before.generation === now.generation) statusWrites++;
    if (now === undefined) seen.delete(key);
    else seen.set(key, now);
  }

  const routes = createListWatch({
    api,
    name: "HTTPRoute",
    path: `${root}/httproutes`,
    logger: silentLogger,
    onEvents: (events) => {
      for (const event of events) {
        if (event.kind === "gone") {
          note(event.key, undefined);
          continue;
        }
        const { metadata, status } = event.object as unknown as {
          readonly metadata: { readonly generation?: number };
          readonly status?: { readonly parents?: readonly { readonly controllerName: string }[] };
        };
        const hasStatus = status?.parents?.some((parent) => parent.controllerName === controllerName) === true;
        note(event.key, { generation: metadata.generation, hasStatus });
      }
    },
    onState: () => {
      if (routes.state().isListed) listed.resolve();
    },
  });
  const gateways = createListWatch({
    api,
    name: "Gateway",
    path: `${root}/gateways`,
    logger: silentLogger,
    onEvents: (events) => {
      for (const event of events) {
        if (event.kind === "gone") continue;
        const { status } = event.object as unknown as {
          readonly status?: { readonly listeners?: readonly { readonly attachedRoutes: number }[] };
        };
        attachedRoutes = status?.listeners?.[0]?.attachedRoutes ?? 0;
        gatewayStatusWrites++;
      }
    },
  });
  return {
    listed: listed.promise,
    routes: () => seen.size,
    withStatus: () => withStatus,
    statusWrites: () => statusWrites,
    attachedRoutes: () => attachedRoutes,
    gatewayStatusWrites: () => gatewayStatusWrites,
    close: () => {
      routes.close();
      gateways.close();
    },
  };
}

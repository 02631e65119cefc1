import path from "node:path";
import { buildBootstrap } from "../../../../operator/src/xds/index.ts";
import { gatewayName, namespace } from "../objects.ts";
import { startProgram, until } from "../program.ts";
import type { Product } from "../product.ts";
import type { Side } from "./side.ts";

export const nullPort = 18_000;
const root = path.resolve(import.meta.dirname, "../../../..");
const proxy = `${namespace}/${gatewayName}`;

/**
 * The floor: it knows beforehand what a route comes to, and hands Envoy the one resource as soon as the API server tells of the route.
 * Nobody who watches the API server and configures this Envoy can be faster.
 */
export const createNull = (product?: Product): Side => ({
  name: "null",
  version: product?.version ?? "sources",
  className: "null",
  controllerName: "example.com/null",
  writesStatuses: false,
  prepare: () => Promise.resolve(),
  start: async ({ folder, kubeconfig }) => {
    const program = startProgram({
      name: "null",
      logFile: path.join(folder, "null.log"),
      command: [
        process.execPath,
        "--conditions=source",
        path.join(product?.folder ?? root, "test/bench/cluster/sides/null-control-plane.ts"),
        kubeconfig,
      ],
    });
    const answers = () =>
      fetch(`http://127.0.0.1:${nullPort + 1}`).then(
        (response) => response.arrayBuffer().then(() => true),
        () => false,
      );
    await until("the null control plane serves", answers, { of: program, withinMs: 300_000 });
    return program;
  },
  envoyOptions: async ({ folder }) => {
    const adminPath = path.join(folder, "admin.sock");
    const bootstrap = buildBootstrap({
      nodeCluster: proxy,
      ads: { address: "127.0.0.1", port: nullPort },
      admin: { path: adminPath },
    });
    return {
      folder,
      bootstrap: JSON.stringify(bootstrap),
      adminPath,
      nodeId: "null",
      adsCluster: "gatewright-ads",
    };
  },
});

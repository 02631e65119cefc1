import { connect, createServer, type Server } from "node:net";
import type { Logger } from "../lib/index.ts";

/** Loopback ports that lead to the admin interfaces of Envoys: one a Gateway, from `firstPort` up. */
export type AdminPorts = {
  /** Opens ports for Gateways that have none and closes those of Gateways that are gone. */
  readonly update: (socketPaths: ReadonlyMap<string, string>) => void;
  readonly close: () => void;
};

/** Envoy's admin interface can have one address, and we need it on a socket of our own: the ports are forwarded. */
export function createAdminPorts(firstPort: number, logger: Logger): AdminPorts {
  const open = new Map<string, { readonly port: number; readonly server: Server; socketPath: string }>();

  function add(gateway: string, socketPath: string): void {
    const taken = new Set([...open.values()].map(({ port }) => port));
    let port = firstPort;
    while (taken.has(port)) port++;
    const server = createServer((client) => {
      const admin = connect(open.get(gateway)?.socketPath ?? socketPath);
      for (const end of [client, admin]) end.on("error", () => [client, admin].forEach((each) => each.destroy()));
      client.pipe(admin);
      admin.pipe(client);
    });
    server.on("error", (error) => logger.warn({ gateway, port, err: error.message }, "admin port cannot be opened"));
    server.listen(port, "127.0.0.1", () =>
      logger.info({ gateway }, `Envoy's admin interface is at http://127.0.0.1:${port}`),
    );
    open.set(gateway, { port, server, socketPath });
  }

  function remove(gateway: string): void {
    open.get(gateway)?.server.close();
    open.delete(gateway);
  }

  return {
    update: (socketPaths) => {
      for (const gateway of open.keys()) if (!socketPaths.has(gateway)) remove(gateway);
      for (const [gateway, socketPath] of socketPaths) {
        const entry = open.get(gateway);
        if (entry === undefined) add(gateway, socketPath);
        else entry.socketPath = socketPath;
      }
    },
    close: () => [...open.keys()].forEach(remove),
  };
}

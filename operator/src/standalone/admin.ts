import { request } from "node:http";

/** Where an Envoy's admin interface listens: a Unix socket, which other users cannot reach, and a loopback port where the user asked for one. */
export type AdminAddress = { readonly socketPath: string };

export type AdminAnswer = { readonly status: number; readonly body: string };

/** Asks Envoy's admin interface; undefined where it does not answer. https://www.envoyproxy.io/docs/envoy/v1.40.0/operations/admin */
export function askAdmin(
  { socketPath }: AdminAddress,
  method: "GET" | "POST",
  path: string,
  timeoutMs = 2_000,
): Promise<AdminAnswer | undefined> {
  return new Promise((resolve) => {
    const asked = request({ socketPath, method, path, timeout: timeoutMs, agent: false }, (response) => {
      let body = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        body += chunk;
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body }));
      response.on("error", () => resolve(undefined));
    });
    asked.on("timeout", () => asked.destroy());
    asked.on("error", () => resolve(undefined));
    asked.end();
  });
}

/** Whether Envoy has its first configuration and takes traffic. */
export async function isReady(admin: AdminAddress): Promise<boolean> {
  return (await askAdmin(admin, "GET", "/ready"))?.status === 200;
}

/** Closes the listeners' sockets at once, lets requests in flight go on, and asks their connections to close after them. */
export async function beginDrain(admin: AdminAddress): Promise<void> {
  // A failed health check makes Envoy answer with `connection: close`; draining alone would not tell clients.
  await askAdmin(admin, "POST", "/healthcheck/fail");
  await askAdmin(admin, "POST", "/drain_listeners");
}

/** How many requests are being served; undefined where Envoy does not say. */
export async function activeRequests(admin: AdminAddress): Promise<number | undefined> {
  const answer = await askAdmin(admin, "GET", "/stats?filter=%5Ehttp%5C..*downstream_rq_active%24");
  if (answer?.status !== 200) return undefined;
  // `http.<prefix>.downstream_rq_active: 1`; the admin interface counts itself.
  const lines = answer.body.split("\n").filter((line) => line !== "" && !line.startsWith("http.admin."));
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" ") + 1)), 0);
}

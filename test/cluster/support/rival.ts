// A program that writes to the same objects again and again, as a controller does that wants something else than Gatewright. It tells how
// often it wrote, by what came of it, for each line of its input.
import { readFileSync } from "node:fs";
import { Agent, request } from "node:https";
import { createInterface } from "node:readline";
import { addresses } from "../../lab/index.ts";

export type RivalOptions = {
  readonly kubeconfig: string;
  /** Of the objects, as `/apis/…/namespaces/faults/httproutes/a`. */
  readonly paths: readonly string[];
  readonly does:
    | { readonly kind: "label"; readonly name: string; readonly value: string }
    /** An annotation that is another each time. */
    | { readonly kind: "annotate" }
    /** Reads the object and puts its own entry into the status of a route, as client-go's controllers do. */
    | { readonly kind: "report"; readonly controllerName: string };
};

export type RivalReport = { readonly writes: number; readonly outcomes: Readonly<Record<string, number>> };

type Answer = { readonly status: number; readonly body: string };
type Parent = { readonly controllerName: string };
type Route = { status?: { parents?: Parent[] }; spec: { parentRefs: readonly object[] } };

const pauseMs = 20;

function main({ kubeconfig, paths, does }: RivalOptions): void {
  type Config = { users: [{ user: { token: string } }]; clusters: [{ cluster: Record<string, string> }] };
  const config = JSON.parse(readFileSync(kubeconfig, "utf8")) as Config;
  const { token } = config.users[0].user;
  const ca = Buffer.from(config.clusters[0].cluster["certificate-authority-data"] ?? "", "base64");
  const agent = new Agent({ keepAlive: true, ca });
  const outcomes: Record<string, number> = {};
  let writes = 0;

  const send = (method: string, path: string, body?: object): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
      const headers = { authorization: `Bearer ${token}`, "content-type": type };
      const query = method === "GET" ? "" : "?fieldManager=rival";
      const target = { host: addresses.node, port: addresses.apiServerPort, path: `${path}${query}`, method, headers };
      const asked = request({ ...target, agent }, (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
        response.on("end", () => resolve({ status: response.statusCode ?? 0, body: text }));
      });
      asked.on("error", reject);
      asked.end(body && JSON.stringify(body));
    });

  async function write(path: string): Promise<Answer> {
    switch (does.kind) {
      case "label":
        return send("PATCH", path, { metadata: { labels: { [does.name]: does.value } } });
      case "annotate":
        return send("PATCH", path, { metadata: { annotations: { "example.com/storm": String(writes) } } });
      case "report":
        return report(path, does.controllerName);
    }
  }

  async function report(path: string, controllerName: string): Promise<Answer> {
    const found = await send("GET", path);
    if (found.status !== 200) return found;
    const route = JSON.parse(found.body) as Route;
    const condition = { type: "Accepted", status: "True", reason: "Accepted", message: String(writes) };
    const entry = {
      parentRef: route.spec.parentRefs[0],
      controllerName,
      conditions: [{ ...condition, lastTransitionTime: "2026-01-01T00:00:00Z" }],
    };
    const others = (route.status?.parents ?? []).filter((parent) => parent.controllerName !== controllerName);
    return send("PUT", `${path}/status`, { ...route, status: { ...route.status, parents: [...others, entry] } });
  }

  async function fight(path: string): Promise<void> {
    const { status } = await write(path).catch(() => ({ status: 0 }));
    writes++;
    outcomes[status] = (outcomes[status] ?? 0) + 1;
    setTimeout(() => void fight(path), pauseMs);
  }

  const input = createInterface(process.stdin);
  input.on("line", () => process.stdout.write(`${JSON.stringify({ writes, outcomes } satisfies RivalReport)}\n`));
  input.on("close", () => process.exit(0));
  for (const path of paths) void fight(path);
}

main(JSON.parse(process.argv[2] ?? "{}") as RivalOptions);

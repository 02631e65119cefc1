// `npm run demo`: a folder of YAML in, real traffic through a real Envoy out. Ends by itself; `-- --keep` leaves it running.
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type EchoBackend, startEchoBackend } from "../support/echo-backend.ts";
import { envoyBinary } from "../support/envoy.ts";
import { freePort } from "../support/free-port.ts";
import { eventually, send, type Target } from "../support/http-client.ts";
import { backends, demoHost, filter, gateway, mesh, routes } from "./manifests.ts";
import { type Product, startProduct } from "./product.ts";

const startedMs = performance.now();
const keep = process.argv.includes("--keep");
const since = (ms: number): string => `${((performance.now() - ms) / 1000).toFixed(1)} s`;

let failures = 0;
let product: Product | undefined;
const envoy = await envoyBinary();
const blue: EchoBackend = await startEchoBackend("blue");
const green: EchoBackend = await startEchoBackend("green");
const folder = await mkdtemp(join(tmpdir(), "gatewright-demo-"));
const manifests = join(folder, "manifests");
const accessLog = join(folder, "access.log");
const port = await freePort();
const target: Target = { port, host: demoHost };
const url = `http://127.0.0.1:${port}`;

let hasTerminal = false;
// Ctrl-C reaches the product too: where it has the terminal, its end is waited for.
process.on("SIGINT", () => (hasTerminal ? undefined : void end(130)));
process.on("SIGTERM", () => void end(143));

try {
  await show();
} catch (error) {
  failures++;
  console.error(`\nNot as expected: ${error instanceof Error ? error.message : String(error)}`);
}
if (keep && failures === 0) await leaveRunning();
await end(failures === 0 ? 0 : 1);

async function show(): Promise<void> {
  console.log("Gatewright demo: a Gateway, two backends and a filter, from a folder of YAML\n");
  await mkdir(manifests);
  await write("backends.yaml", backends({ blue: blue.port, green: green.port }));
  await write("class.yaml", mesh(accessLog));
  await write("gateway.yaml", gateway(port));
  await write("filter.yaml", filter);
  await write("route.yaml", routes("blue"));
  console.log(`   backends   blue at 127.0.0.1:${blue.port}, green at 127.0.0.1:${green.port}`);
  console.log(`   manifests  ${manifests}`);
  const serveMs = performance.now();
  product = startProduct(manifests, envoy, { terminal: false });
  await Promise.race([eventually(target, "/", ({ status }) => status === 200, { withinMs: 60_000 }), product.ended]);
  console.log(`   gateway    ${url}, serving after ${since(serveMs)}\n`);

  console.log("1. An HTTPRoute chooses the backend by path:");
  await expectBackend("/", "blue");
  await expectBackend("/plain", "green");

  console.log(
    "\n2. An HTTPFilter has Envoy copy the header x-tenant into the request's metadata, and the access log prints that:",
  );
  await expectTenant("/cart", { "x-tenant": "acme" }, "acme");
  await expectTenant("/about", {}, "-");
  await expectTenant("/plain/page", { "x-tenant": "acme" }, "-");

  console.log("\n3. route.yaml is edited while all this serves: what went to blue goes to green");
  const editMs = performance.now();
  await write("route.yaml", routes("green"));
  await eventually(target, "/", ({ echo }) => echo?.backend === "green");
  tell("GET /", `200 from green, ${Math.round(performance.now() - editMs)} ms after the file was saved`, true);

  console.log(`\n${failures === 0 ? "All as expected" : `${failures} not as expected`}; it took ${since(startedMs)}.`);
}

async function expectBackend(path: string, backend: string): Promise<void> {
  const { status, echo } = await send(target, path);
  tell(`GET ${path}`, `${status} from ${echo?.backend ?? "nobody"}`, status === 200 && echo?.backend === backend);
}

async function expectTenant(path: string, headers: Readonly<Record<string, string>>, tenant: string): Promise<void> {
  const { status } = await send(target, path, { headers });
  const line = await loggedLine(path);
  const sent = Object.entries(headers).map(([name, value]) => ` with ${name}: ${value}`);
  tell(
    `GET ${path}${sent.join("")}`,
    `${status}, logged as: ${line}`,
    status === 200 && line === `${path} tenant=${tenant}`,
  );
}

/** Envoy writes its log a moment after the answer. */
async function loggedLine(path: string): Promise<string> {
  const deadline = Date.now() + 10_000;
  while (Date.now() < deadline) {
    const log = await readFile(accessLog, "utf8").catch(() => "");
    const line = log.split("\n").find((text) => text.startsWith(`${path} `));
    if (line !== undefined) return line;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return "nothing";
}

function tell(request: string, outcome: string, isRight: boolean): void {
  if (!isRight) failures++;
  console.log(`   ${isRight ? "ok " : "BAD"} ${request.padEnd(54)} ${outcome}`);
}

/** As an editor does it: nobody sees half a file. */
async function write(name: string, yaml: string): Promise<void> {
  const draft = join(folder, `${name}.draft`);
  await writeFile(draft, yaml);
  await rename(draft, join(manifests, name));
}

async function leaveRunning(): Promise<void> {
  console.log(`
It stays until Ctrl-C. Try, in another terminal:
   curl -H 'host: ${demoHost}' ${url}/
   curl -H 'host: ${demoHost}' -H 'x-tenant: acme' ${url}/cart && tail -1 ${accessLog}
   $EDITOR ${join(manifests, "route.yaml")}
`);
  await product?.stop();
  hasTerminal = true;
  product = startProduct(manifests, envoy, { terminal: true });
  await product.ended.catch(() => undefined);
}

async function end(code: number): Promise<never> {
  await product?.stop();
  await Promise.all([blue.close(), green.close()]);
  await rm(folder, { recursive: true, force: true });
  process.exit(code);
}

// What is shipped starts: compiled, with production dependencies only, without the parts that the image leaves out.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { defaultCache } from "./build-image.ts";
import { dependencyEntries } from "./dependencies.ts";
import { complete } from "./entry.ts";
import { buildOwnPackages, ownEntries } from "./own-packages.ts";
import { appFolder } from "./places.ts";
import { readManifest } from "./project.ts";
import { writeEntries } from "./unpack.ts";

describe("what the image holds of Gatewright", function () {
  // Everything is compiled, and npm installs into a folder of its own.
  this.timeout(180_000);
  let root: string;
  before(async () => {
    root = await mkdtemp(path.join(tmpdir(), "image-start-"));
    await buildOwnPackages();
    const options = { cache: defaultCache(process.env), offline: false, report: () => undefined };
    await writeEntries(root, complete([...(await dependencyEntries(options)), ...(await ownEntries())]));
  });
  after(() => rm(root, { recursive: true }));

  /** Runs the command as the image does, in an environment as empty. */
  const gatewright = (...args: readonly string[]) =>
    promisify(execFile)(process.execPath, [path.join(root, appFolder, "operator/dist/main.js"), ...args], {
      cwd: root,
      env: { GATEWRIGHT_CACHE: path.join(root, "cache") },
    });

  it("starts", async () => {
    const { stdout } = await gatewright("--help");
    assert.match(stdout, /^Usage: gatewright /);
    const version = await gatewright("version", "--output=json");
    assert.equal((JSON.parse(version.stdout) as { gatewright: string }).gatewright, (await readManifest()).version);
  });

  it("translates, with all that is read from other packages", async () => {
    const file = path.join(root, "gateway.yaml");
    await writeFile(file, manifests);
    const { stdout } = await gatewright("translate", file);
    assert.match(stdout, /scheme_redirect: https/);
  });
});

const manifests = `
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: { name: web, namespace: default }
spec:
  gatewayClassName: gatewright
  listeners: [{ name: http, port: 8080, protocol: HTTP }]
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: { name: moved, namespace: default }
spec:
  parentRefs: [{ name: web }]
  rules: [{ filters: [{ type: RequestRedirect, requestRedirect: { scheme: https } }] }]
`;

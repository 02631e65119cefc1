import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text as textOf } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { parse } from "yaml";
import { backends, filter, gateway, routes } from "../../../test/demo/manifests.ts";
import { captureIo } from "../../../test/support/capture-io.ts";
import { makeCertificate } from "../../../test/support/certificates.ts";
import { envoyBinary } from "../../../test/support/envoy.ts";
import { runCli } from "./program.ts";

const joined = (...documents: string[]): string => documents.join("---\n");
const shop = joined(backends({ blue: 3000, green: 3001 }), gateway(8080), filter, routes("blue"));

const { certificate, privateKey } = makeCertificate({ dnsNames: ["secure.example.com"] });
const base64 = (text: string) => Buffer.from(text).toString("base64");
const secure = `apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: secure, namespace: demo}
spec:
  gatewayClassName: gatewright
  listeners:
  - {name: https, port: 8443, protocol: HTTPS, hostname: secure.example.com, tls: {certificateRefs: [{name: cert}]}}
---
apiVersion: v1
kind: Secret
metadata: {name: cert, namespace: demo}
type: kubernetes.io/tls
data: {tls.crt: ${base64(certificate)}, tls.key: ${base64(privateKey)}}
`;

async function translate(stdin: string, ...args: string[]) {
  const io = captureIo(stdin);
  const code = await runCli(["translate", "-", ...args], io);
  return { code, out: io.written(), err: io.complaints() };
}

/** Envoy's words where it does not accept a configuration. */
async function refusal(config: string): Promise<string | undefined> {
  const folder = await mkdtemp(join(tmpdir(), "gw-translate-"));
  const file = join(folder, "envoy.yaml");
  await writeFile(file, config);
  try {
    await promisify(execFile)(await envoyBinary(), ["--mode", "validate", "-c", file, "-l", "error"]);
    return undefined;
  } catch (error) {
    return String(error);
  } finally {
    await rm(folder, { recursive: true });
  }
}

describe("gatewright translate", function () {
  this.timeout(60_000);

  it("prints a whole configuration that Envoy accepts, as YAML and as JSON alike", async () => {
    const yaml = await translate(shop);
    assert.deepEqual({ code: yaml.code, err: yaml.err }, { code: 0, err: "" });
    assert.equal(await refusal(yaml.out), undefined);
    const json = await translate(shop, "-o", "json");
    assert.deepEqual(JSON.parse(json.out), parse(yaml.out));
  });

  for (const [kind, type, names] of [
    ["listener", "envoy.config.listener.v3.Listener", ["http-8080"]],
    ["route", "envoy.config.route.v3.RouteConfiguration", ["demo/web|8080+vhds"]],
    ["virtualHost", "envoy.config.route.v3.VirtualHost", ["demo/web|8080+vhds/shop.example.com"]],
    ["cluster", "envoy.config.cluster.v3.Cluster", ["demo/blue|80", "demo/green|80"]],
    ["endpoint", "envoy.config.endpoint.v3.ClusterLoadAssignment", ["demo/blue|80", "demo/green|80"]],
    ["extension", "envoy.config.core.v3.TypedExtensionConfig", ["envoy.filters.http.header_to_metadata"]],
    ["secret", "", []],
  ] as const) {
    it(`prints resources of kind ${kind}`, async () => {
      const { code, out } = await translate(shop, "--kind", kind);
      assert.equal(code, 0);
      const resources: Record<string, unknown>[] = parse(out);
      assert.deepEqual(
        resources.map((resource) => resource["name"] ?? resource["cluster_name"]),
        names,
      );
      for (const resource of resources) assert.equal(resource["@type"], `type.googleapis.com/${type}`);
    });
  }

  it("prints no private key unless it is asked to, and what Envoy accepts in both cases", async () => {
    const key = privateKey.split("\n")[1] ?? "";
    const shown = await translate(secure, "--show-secrets");
    assert(shown.out.includes(key));
    assert.equal(await refusal(shown.out), undefined);
    const hidden = await translate(secure);
    assert.equal(hidden.code, 0);
    assert(!hidden.out.includes(key));
    assert.equal(await refusal(hidden.out), undefined);
    assert.match(hidden.out, /name: demo\/cert/);
  });

  it("takes certificates as people write them: base64 in lines, and plain under stringData", async () => {
    const inLines = (text: string) => base64(text).replaceAll(/.{64}/g, "$&\n    ");
    const plain = await translate(secure, "--show-secrets");
    const data = /^data: .*$/m;
    for (const written of [
      `data:\n  tls.crt: |\n    ${inLines(certificate)}\n  tls.key: >\n    ${inLines(privateKey).replaceAll("\n    ", "\n\n    ")}\n`,
      `data: {tls.crt: ""}\nstringData: ${JSON.stringify({ "tls.crt": certificate, "tls.key": privateKey })}`,
    ])
      assert.deepEqual(await translate(secure.replace(data, written), "--show-secrets"), plain);
  });

  it("redacts the key of a secret and nothing else of it", async () => {
    const hidden = (await translate(secure, "--kind", "secret")).out;
    const shown = (await translate(secure, "--kind", "secret", "--show-secrets")).out;
    const [{ tls_certificate: redacted, ...hiddenRest }] = parse(hidden);
    const [{ tls_certificate: whole, ...shownRest }] = parse(shown);
    assert.deepEqual(shownRest, hiddenRest);
    assert.deepEqual(redacted.private_key, { inline_string: "[redacted]" });
    assert.deepEqual(whole.private_key, { inline_string: privateKey });
    assert.deepEqual(redacted.certificate_chain, whole.certificate_chain);
  });

  it("asks which Gateway is meant, and takes the one that is named", async () => {
    const both = joined(shop, secure);
    const { code, out, err } = await translate(both);
    assert.equal(code, 2);
    assert.equal(out, "");
    assert.match(err, /several Gateways; choose one with --gateway: demo\/secure, demo\/web/);
    const chosen = await translate(both, "--gateway", "demo/secure", "--kind", "listener");
    assert.equal(chosen.code, 0);
    assert.match(chosen.out, /name: tls-8443/);
    assert.doesNotMatch(chosen.out, /http-8080/);
    assert.match((await translate(both, "-g", "demo/none")).err, /no Gateway demo\/none of ours, only demo\/secure/);
  });

  it("says that there is no Gateway of ours", async () => {
    const foreign = gateway(8080).replace("gatewayClassName: gatewright", "gatewayClassName: other");
    const { code, err } = await translate(foreign);
    assert.equal(code, 2);
    assert.match(err, /there is no Gateway of ours: its gatewayClassName must be gatewright/);
    assert.equal((await translate(foreign, "--gateway-class", "other")).code, 0);
  });

  it("translates what is right, says what is wrong, and ends with 1", async () => {
    const { code, out, err } = await translate(joined(shop, routes("nowhere").replace("name: shop", "name: broken")));
    assert.equal(code, 1);
    assert.match(err, /^standard input:\d+ HTTPRoute demo\/broken: .*Service demo\/nowhere does not exist/m);
    assert.equal(await refusal(out), undefined);
    assert.match(out, /demo\/blue\|80/);
  });

  it("warns of what leads nowhere, and ends with 0", async () => {
    const astray = routes("blue")
      .replace("name: shop", "name: astray")
      .replace("parentRefs: [{name: web}]", "parentRefs: [{name: wep}]");
    const { code, err } = await translate(joined(shop, astray));
    assert.equal(code, 0);
    assert.match(
      err,
      /^warning: standard input:\d+ HTTPRoute demo\/astray spec\.parentRefs\[0\]: Gateway demo\/wep does not exist\n$/,
    );
  });

  it("binds where it is told, and where a Gateway asks", async () => {
    const addressOf = async (yaml: string, ...args: string[]) =>
      parse((await translate(yaml, "--kind", "listener", ...args)).out)[0].address.socket_address.address;
    assert.equal(await addressOf(shop), "0.0.0.0");
    assert.equal(await addressOf(shop, "--bind", "127.0.0.1"), "127.0.0.1");
    const asking = gateway(8080).replace("spec:\n", "spec:\n  addresses: [{value: 192.0.2.7}]\n");
    assert.equal(await addressOf(asking), "192.0.2.7");
  });

  it("reads a list, as kubectl prints it", async () => {
    const items = shop
      .split("---\n")
      .map((document) => `- ${document.trim().replaceAll("\n", "\n  ")}`)
      .join("\n");
    const list = `apiVersion: v1\nkind: List\nitems:\n${items}\n`;
    assert.deepEqual(parse((await translate(list)).out), parse((await translate(shop)).out));
  });

  it("reads what is open already, as a shell passes the output of a command", async () => {
    const main = fileURLToPath(new URL("../main.ts", import.meta.url));
    const command = `cat | { "$1" --conditions=source "$2" translate /dev/fd/3; } 3<&0`;
    const child = spawn("sh", ["-c", command, "sh", process.execPath, main]);
    child.stdin.end(shop);
    const [out] = await Promise.all([textOf(child.stdout), once(child, "exit")]);
    const whole = parse((await translate(shop)).out);
    assert.deepEqual(parse(out), whole);
    const io = captureIo(shop);
    assert.equal(await runCli(["translate", "/dev/stdin"], io), 0);
    assert.deepEqual(parse(io.written()), whole);
    const closed = captureIo();
    assert.equal(await runCli(["translate", "/dev/fd/9999"], closed), 2);
    assert.match(closed.complaints(), /^error: \/dev\/fd\/9999 cannot be read: .*ENOENT/);
  });

  it("reads files and folders beside standard input", async () => {
    const folder = await mkdtemp(join(tmpdir(), "gw-translate-"));
    await writeFile(join(folder, "backends.yaml"), backends({ blue: 3000, green: 3001 }));
    await writeFile(join(folder, "rest.json"), JSON.stringify(parse(gateway(8080))));
    const io = captureIo(joined(filter, routes("blue")));
    assert.equal(await runCli(["translate", folder, "-"], io), 0, io.complaints());
    assert.deepEqual(parse(io.written()), parse((await translate(shop)).out));
    await rm(folder, { recursive: true });
  });
});

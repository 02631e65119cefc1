// Asks a real API server, by dry run, for its verdict of each object of the corpus and writes it down, for the test beside this file to compare with.
// Needed when the pinned versions change, or schemas: etcd and kube-apiserver are those of the lab, which are built once.
//
//   node --conditions=source test/oracle/cluster/record.ts
import { globSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { findKind, kinds, versionOf } from "@gatewright/crd-types";
import { schemas } from "@gatewright/crd-types/schemas";
import { parse } from "yaml";
import { type ApiResponse, type ApiServer, resourcePath } from "../../../operator/src/kubernetes/index.ts";
import { gatewayApiFolder } from "../../lab/index.ts";
import { type Case, cases, examples } from "./corpus.ts";
import { startServer } from "./server.ts";
import { agree, digestOf, isMeantToDiffer, ourVerdict, theirVerdict, type Verdict } from "./verdict.ts";

const here = import.meta.dirname;
const report = (line: string) => void process.stderr.write(`${line}\n`);

async function installCrds(api: ApiServer): Promise<void> {
  const folder = path.resolve(here, "../../../crd-types/src/generated/crds");
  const definitions = resourcePath({
    group: "apiextensions.k8s.io",
    version: "v1",
    plural: "customresourcedefinitions",
  });
  for (const file of globSync("{experimental,gatewright}/*.yaml", { cwd: folder })) {
    const body: unknown = parse(readFileSync(path.join(folder, file), "utf8"));
    const { status } = await api.request({ method: "POST", path: definitions, body });
    if (status !== 201) throw new Error(`${file}: ${status}`);
  }
}

const pathOf = ({ kind }: Case): string => {
  const { group, version, plural, scope } = kinds[kind];
  return resourcePath({ group, version, plural, ...(scope === "Namespaced" && { namespace: "default" }) });
};

/** Asks again while what is new there is not served yet, and while the server has too much to do. */
async function ask(api: ApiServer, one: Case): Promise<ApiResponse> {
  for (;;) {
    const response = await api.request({
      method: "POST",
      path: pathOf(one),
      query: { dryRun: "All", fieldValidation: "Strict" },
      body: one.object,
    });
    const isEarly = response.status === 404 || response.status === 429 || response.status === 503;
    if (!isEarly) return response;
    await setTimeout(500);
  }
}

/** Which of the Gateway API's own examples the server refuses. */
async function recordExamples(api: ApiServer): Promise<void> {
  const lines: string[] = [];
  for (const { file, objects } of examples(await gatewayApiFolder("sigs.k8s.io/gateway-api"))) {
    for (const object of objects) {
      const info = findKind(String(object["apiVersion"]), String(object["kind"]));
      if (info === undefined || !(info.id in schemas)) continue;
      const { metadata } = object;
      const named = typeof metadata === "object" && metadata !== null && "namespace" in metadata ? metadata : {};
      const namespace = info.scope === "Namespaced" ? String(Reflect.get(named, "namespace") ?? "default") : undefined;
      if (namespace !== undefined) await ensureNamespace(api, namespace);
      const version = versionOf(String(object["apiVersion"]));
      const response = await api.request({
        method: "POST",
        path: resourcePath({
          group: info.group,
          version,
          plural: info.plural,
          ...(namespace !== undefined && { namespace }),
        }),
        query: { dryRun: "All", fieldValidation: "Strict" },
        body: object,
      });
      lines.push(`${file} ${info.id} ${response.status < 300 || response.status === 409 ? "ok" : "refused"}`);
    }
  }
  writeFileSync(path.join(here, "examples.txt"), `${lines.join("\n")}\n`);
  report(`${lines.length} objects of examples`);
}

async function ensureNamespace(api: ApiServer, name: string): Promise<void> {
  const body = { apiVersion: "v1", kind: "Namespace", metadata: { name } };
  await api.request({ method: "POST", path: "/api/v1/namespaces", body });
}

const { api, close } = await startServer(report);
try {
  await installCrds(api);
  const all = cases();
  const verdicts: Verdict[] = [];
  const queue = all.entries();
  const work = async () => {
    for (const [index, one] of queue) verdicts[index] = theirVerdict(await ask(api, one));
  };
  await Promise.all(Array.from({ length: 8 }, work));
  let differences = 0;
  for (const [index, one] of all.entries()) {
    const [ours, theirs] = [ourVerdict(one), verdicts[index]];
    if (theirs === undefined || isMeantToDiffer(one) || agree(one, ours, theirs)) continue;
    differences++;
    if (differences <= 60)
      report(`${one.kind}\n  ours:   ${ours}\n  theirs: ${theirs}\n  ${JSON.stringify(one.object).slice(0, 300)}`);
  }
  const lines = all.map((one, index) => `${one.kind} ${digestOf(one)} ${verdicts[index]}`);
  writeFileSync(path.join(here, "verdicts.txt"), `${lines.join("\n")}\n`);
  const refused = verdicts.filter((verdict) => verdict !== "ok").length;
  await recordExamples(api);
  report(`${all.length} objects, ${refused} refused, ${differences} differences`);
} finally {
  await close();
}

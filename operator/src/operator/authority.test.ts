import assert from "node:assert/strict";
import { makeCertificate } from "../../../test/support/certificates.ts";
import { createIdentity, type ObservedSecret } from "../identity/index.ts";
import { createFakeApiServer, createManualTime, createRecorder, failure, until } from "../kubernetes/testing/index.ts";
import { silentLogger } from "../lib/index.ts";
import type { Change } from "../store/index.ts";
import { createAuthorityKeeper } from "./authority.ts";

const namespace = "gatewright-system";
const secretName = "gatewright-ca";
const key = `${namespace}/${secretName}`;
const path = `/api/v1/namespaces/${namespace}/secrets/${secretName}`;
const ourLabel = { "app.kubernetes.io/managed-by": "gatewright" };

type Api = ReturnType<typeof createFakeApiServer>;

async function replicaOf(api: Api, leads: boolean) {
  const time = createManualTime();
  const recorder = createRecorder();
  const told: string[] = [];
  const state = { leads };
  const identity = await createIdentity({
    api,
    logger: recorder.logger,
    namespace,
    secretName,
    serverNames: ["a.test"],
  });
  const keeper = createAuthorityKeeper({
    identity,
    secret: key,
    isLeader: () => state.leads,
    events: { tell: ({ kind, key: at, uid }, { type, reason }) => told.push(`${type} ${reason} ${kind} ${at} ${uid}`) },
    logger: recorder.logger,
    clock: time,
    onRenewed: () => undefined,
  });
  api.onChange((at, object) => {
    if (at === path) keeper.observe([{ kind: "Secret", key, object } as unknown as Change]);
  });
  return { identity, keeper, state, told, time, log: recorder.lines };
}

const stored = (api: Api) => api.get(path) as unknown as ObservedSecret | undefined;
const isBack = (api: Api, data: ObservedSecret["data"]) => JSON.stringify(stored(api)?.data) === JSON.stringify(data);

describe("the authority's Secret in a cluster", () => {
  const damages: readonly (readonly [string, (api: Api) => void])[] = [
    ["deleted", (api) => api.delete(path)],
    ["emptied", (api) => api.put(path, { metadata: { name: secretName, namespace, labels: ourLabel }, data: {} })],
    [
      "given a key that is not its own",
      (api) => {
        const { certificate } = makeCertificate({ dnsNames: ["x"], authority: true });
        const data = { ...stored(api)?.data, "tls.crt": Buffer.from(certificate).toString("base64") };
        api.put(path, { metadata: { name: secretName, namespace, labels: ourLabel }, type: "Opaque", data });
      },
    ],
  ];
  for (const [what, damage] of damages)
    it(`is made again as it was when it is ${what}, by the leader, who says so`, async () => {
      const api = createFakeApiServer();
      const leader = await replicaOf(api, true);
      const other = await replicaOf(api, false);
      const before = stored(api)?.data;
      const bundle = leader.identity.bundle();
      const asked = api.requests.length;
      damage(api);
      await until(() => isBack(api, before));
      await until(() => leader.told.length > 0 && other.identity.damage() === undefined);
      assert.equal(api.requests.length, asked + 1, "one replica writes, once");
      assert.deepEqual(leader.told, [`Warning AuthorityRestored Secret ${key} ${stored(api)?.metadata.uid}`]);
      assert.deepEqual(other.told, []);
      assert.deepEqual(
        leader.log("info").filter((line) => line.includes("made again")),
        ["the authority's Secret is made again: proxies trust what they trusted before"],
      );
      for (const { identity } of [leader, other]) assert.equal(identity.bundle(), bundle);
      const next = await createIdentity({ api, logger: silentLogger, namespace, secretName, serverNames: ["a.test"] });
      assert.equal(next.bundle(), bundle, "a replica that starts later trusts the same");
    });

  it("is made again by whoever leads next, and as soon as the API server takes it", async () => {
    const api = createFakeApiServer();
    const replica = await replicaOf(api, false);
    const before = stored(api)?.data;
    api.delete(path);
    await until(() => replica.identity.damage() !== undefined);
    const restore = api.intercept(({ method }) =>
      method === "POST" ? failure(503, "ServiceUnavailable", "not now") : undefined,
    );
    const asked = api.requests.length;
    replica.state.leads = true;
    replica.keeper.update();
    await until(() => replica.log("error").length > 0);
    assert.equal(api.requests.length, asked + 1);
    restore();
    await replica.time.advance(5_000);
    await until(() => isBack(api, before));
  });

  it("is left alone where it is an admin's, and its authority goes on", async () => {
    for (const damage of [
      (api: Api) => api.delete(path),
      (api: Api) => api.put(path, { metadata: { name: secretName, namespace }, data: {} }),
    ]) {
      const api = createFakeApiServer();
      const { certificate, privateKey } = makeCertificate({ dnsNames: ["corporate CA"], authority: true });
      const data = {
        "tls.crt": Buffer.from(certificate).toString("base64"),
        "tls.key": Buffer.from(privateKey).toString("base64"),
      };
      api.put(path, { metadata: { name: secretName, namespace }, data });
      const leader = await replicaOf(api, true);
      const bundle = leader.identity.bundle();
      const asked = api.requests.length;
      damage(api);
      await until(() => leader.identity.damage() !== undefined);
      await leader.time.advance(60_000);
      assert.equal(api.requests.length, asked);
      assert.equal(leader.identity.bundle(), bundle);
      assert.match(leader.log("warn").join(), /its maker has to mend it/);
      api.put(path, { metadata: { name: secretName, namespace }, data });
      await until(() => leader.identity.damage() === undefined);
    }
  });

  it("may be replaced by another authority, which is believed and not undone", async () => {
    const api = createFakeApiServer();
    const leader = await replicaOf(api, true);
    const { certificate, privateKey } = makeCertificate({ dnsNames: ["new CA"], authority: true });
    const data = {
      "tls.crt": Buffer.from(certificate).toString("base64"),
      "tls.key": Buffer.from(privateKey).toString("base64"),
    };
    const asked = api.requests.length;
    api.put(path, { metadata: { name: secretName, namespace, labels: ourLabel }, data });
    await until(() => leader.identity.bundle() === certificate);
    await leader.time.settle();
    assert.equal(api.requests.length, asked);
  });
});

import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import type { ClusterTrustBundle } from "@gatewright/crd-types/certificates/v1";
import type { ConfigMap, Secret } from "@gatewright/crd-types/core/v1";
import { makeCertificate } from "../../../../test/support/certificates.ts";
import { createGraph } from "../../lib/index.ts";
import { createStore, objectKey } from "../../store/index.ts";
import type { Unavailability } from "../inputs.ts";
import { authorityKey, type AuthorityRef, createAuthorities, type Trust } from "./authorities.ts";

const [one, two] = [makeCertificate({ dnsNames: ["one"] }), makeCertificate({ dnsNames: ["two"] })];
const certificate = (made: { readonly certificate: string }) => made.certificate;

const version = (value: number) => Buffer.from([0xa0, 3, 2, 1, value]);
const der = Buffer.from(new X509Certificate(two.certificate).raw);
version(3).copy(der, der.indexOf(version(2)));
const ofUnknownVersion = new X509Certificate(der).toString();

const ref = (name: string, more: Partial<AuthorityRef> = {}): AuthorityRef => ({
  group: "",
  kind: "ConfigMap",
  namespace: "infra",
  name,
  ...more,
});

const configMap = (name: string, data: Readonly<Record<string, string>>): ConfigMap => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "infra" },
  data,
});

const bundleRef = (name: string, more: Partial<AuthorityRef> = {}) =>
  ref(name, { group: "certificates.k8s.io", kind: "ClusterTrustBundle", ...more });

const trustBundle = (name: string, text: string): ClusterTrustBundle => ({
  apiVersion: "certificates.k8s.io/v1",
  kind: "ClusterTrustBundle",
  metadata: { name },
  spec: { trustBundle: text },
});

/** Whoever refers is a line of `questions`. */
function fixture(permits: (ref: AuthorityRef) => boolean = () => true) {
  const graph = createGraph();
  const store = createStore(graph);
  const unavailable = graph.source<Unavailability>("unavailable");
  const questions = graph.source<readonly AuthorityRef[]>("questions");
  const named = graph.index("named", questions, (refs) => refs.map(authorityKey));
  const authorities = createAuthorities(graph, { store, unavailable }, [named]);
  const answers = graph.derive<Trust>("answers", {
    keysOf: [questions],
    compute: (key) => {
      const refs = questions.get(key);
      return refs && authorities.resolve(refs, permits);
    },
  });
  return {
    graph,
    questions,
    answers,
    ask: (...refs: readonly AuthorityRef[]): Trust => {
      questions.set("q", refs);
      graph.settle();
      return answers.get("q") ?? assert.fail();
    },
    put: (object: ConfigMap) => store.objects.ConfigMap.set(objectKey("infra", object.metadata.name ?? ""), object),
    putBundle: (object: ClusterTrustBundle) => store.objects.ClusterTrustBundle.set(object.metadata.name ?? "", object),
    removeBundle: (name: string) => store.objects.ClusterTrustBundle.set(name, undefined),
    unavailable,
    putSecret: (object: Secret) => store.objects.Secret.set(objectKey("infra", object.metadata.name ?? ""), object),
  };
}

describe("createAuthorities()", () => {
  it("reads certificates of ConfigMaps and Secrets, in order, each once", () => {
    const { ask, put, putSecret } = fixture();
    put(configMap("both", { "ca.crt": `# ours\n${one.certificate}\nand\n${two.certificate}` }));
    putSecret({
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "two", namespace: "infra" },
      data: { "ca.crt": Buffer.from(two.certificate).toString("base64") },
    });
    const { bundle, problems } = ask(ref("two", { kind: "Secret" }), ref("both"));
    assert.deepEqual(problems, []);
    assert.equal(bundle, [two, one].map(certificate).join(""));
  });

  it("passes on nothing but certificates", () => {
    const { ask, put } = fixture();
    put(configMap("mixed", { "ca.crt": one.privateKey + one.certificate }));
    assert.equal(ask(ref("mixed")).bundle, one.certificate);
  });

  const bad: Readonly<Record<string, readonly [AuthorityRef, ConfigMap | undefined, string, RegExp]>> = {
    "what is not there": [ref("a"), undefined, "invalid", /^ConfigMap infra\/a does not exist$/],
    "an object without the field": [ref("a"), configMap("a", { other: "" }), "invalid", /has no ca\.crt$/],
    "an empty text": [ref("a"), configMap("a", { "ca.crt": "" }), "invalid", /no certificates in PEM in ca\.crt$/],
    "a text that is none": [ref("a"), configMap("a", { "ca.crt": "x" }), "invalid", /no certificates in PEM/],
    "a private key": [ref("a"), configMap("a", { "ca.crt": one.privateKey }), "invalid", /no certificates in PEM/],
    "a certificate that is cut": [
      ref("a"),
      configMap("a", { "ca.crt": one.certificate + two.certificate.slice(0, 200) }),
      "invalid",
      /no certificates in PEM/,
    ],
    "a certificate that Envoy would not read": [
      ref("a"),
      configMap("a", { "ca.crt": one.certificate + ofUnknownVersion }),
      "invalid",
      /^ConfigMap infra\/a has in ca\.crt certificate 2, which is of an unknown version$/,
    ],
    "another kind": [
      ref("a", { kind: "Pod" }),
      undefined,
      "unknown-kind",
      /^Pod a is no ConfigMap, Secret or certificates\.k8s\.io\/ClusterTrustBundle$/,
    ],
    "another group": [
      ref("a", { group: "example.com" }),
      configMap("a", { "ca.crt": one.certificate }),
      "unknown-kind",
      /^example\.com\/ConfigMap a is no/,
    ],
  };
  for (const [title, [reference, object, kind, message]] of Object.entries(bad))
    it(`tells of ${title}, and takes its neighbour`, () => {
      const { ask, put } = fixture();
      if (object !== undefined) put(object);
      put(configMap("good", { "ca.crt": one.certificate }));
      const { bundle, problems } = ask(reference, ref("good"));
      assert.equal(bundle, one.certificate);
      assert.equal(problems.length, 1);
      assert.equal(problems[0]?.kind, kind);
      assert.match(problems[0].message, message);
      assert.equal(ask(reference).bundle, "");
    });

  it("tells nobody who may not refer to an object whether it exists", () => {
    const { ask, put } = fixture(() => false);
    const missing = ask(ref("a"));
    put(configMap("a", { "ca.crt": one.certificate }));
    assert.deepEqual(ask(ref("a")), missing);
    assert.deepEqual([missing.bundle, missing.problems[0]?.kind], ["", "not-permitted"]);
  });

  const [first, second] = ["first", "second"].map((name) => makeCertificate({ dnsNames: [name], authority: true }));
  assert.ok(first && second);

  it("reads a ClusterTrustBundle from any namespace, which nobody has to permit", () => {
    const { ask, putBundle } = fixture(() => false);
    const name = "example.com:internal-signer:v1";
    putBundle(trustBundle(name, `# ours\n${first.certificate}and ${second.certificate}`));
    for (const namespace of ["infra", "apps", ""])
      assert.deepEqual(ask(bundleRef(name, { namespace })), {
        bundle: first.certificate + second.certificate,
        problems: [],
      });
  });

  const badBundles: Readonly<Record<string, readonly [string, RegExp]>> = {
    "is empty": ["", /at least one trust anchor must be provided$/],
    "is no PEM": ["x", /at least one trust anchor must be provided$/],
    "has a private key": [first.certificate + first.privateKey, /entry 1 has bad block type: PRIVATE KEY$/],
    "has a server's certificate": [first.certificate + one.certificate, /entry 1 does not have the CA bit set$/],
    "has one twice": [first.certificate + first.certificate, /duplicate trust anchor \(indices \[0 1\]\)$/],
  };
  for (const [title, [text, message]] of Object.entries(badBundles))
    it(`takes nothing from a ClusterTrustBundle that ${title}`, () => {
      const { ask, putBundle } = fixture();
      putBundle(trustBundle("a", text));
      const { bundle, problems } = ask(bundleRef("a"));
      assert.deepEqual([bundle, problems.map(({ kind }) => kind)], ["", ["invalid"]]);
      assert.match(problems[0]?.message ?? "", message);
      assert.match(problems[0]?.message ?? "", /^certificates\.k8s\.io\/ClusterTrustBundle a has a spec\.trustBundle/);
    });

  it("follows a ClusterTrustBundle that changes, goes and comes back", () => {
    const { ask, putBundle, removeBundle } = fixture();
    putBundle(trustBundle("a", first.certificate));
    assert.equal(ask(bundleRef("a")).bundle, first.certificate);
    putBundle(trustBundle("a", second.certificate));
    assert.equal(ask(bundleRef("a")).bundle, second.certificate);
    removeBundle("a");
    assert.deepEqual([ask(bundleRef("a")).bundle, ask(bundleRef("a")).problems[0]?.kind], ["", "invalid"]);
    putBundle(trustBundle("a", first.certificate));
    assert.equal(ask(bundleRef("a")).bundle, first.certificate);
  });

  it("uses nothing that it has read of a kind that is away or may not be read, and all again later", () => {
    const { ask, putBundle, unavailable } = fixture();
    putBundle(trustBundle("a", first.certificate));
    assert.equal(ask(bundleRef("a")).bundle, first.certificate);
    unavailable.set("ClusterTrustBundle", { kind: "absent" });
    const absent = ask(bundleRef("a"));
    assert.deepEqual([absent.bundle, absent.problems[0]?.kind], ["", "absent-kind"]);
    unavailable.set("ClusterTrustBundle", { kind: "unreadable", message: "403 Forbidden" });
    const unreadable = ask(bundleRef("a"));
    assert.deepEqual([unreadable.bundle, unreadable.problems[0]?.kind], ["", "invalid"]);
    assert.match(unreadable.problems[0]?.message ?? "", /cannot be read: 403 Forbidden$/);
    unavailable.set("ClusterTrustBundle", undefined);
    assert.equal(ask(bundleRef("a")).bundle, first.certificate);
  });

  it("reads a ClusterTrustBundle once for all namespaces", () => {
    const { graph, questions, putBundle } = fixture();
    for (let index = 0; index < 50; index++)
      questions.set(`q${index}`, [bundleRef("shared", { namespace: `n${index % 25}` })]);
    putBundle(trustBundle("shared", first.certificate));
    graph.settle();
    const before = graph.computations();
    putBundle(trustBundle("shared", second.certificate));
    graph.settle();
    assert.equal(graph.computations() - before, 51);
  });

  it("reads an object once, however many refer to it, and wakes them only where it says something else", () => {
    const { graph, questions, answers, put } = fixture();
    for (let index = 0; index < 50; index++) questions.set(`q${index}`, [ref("shared")]);
    put(configMap("shared", { "ca.crt": one.certificate }));
    graph.settle();
    const costOf = (object: ConfigMap) => {
      const before = graph.computations();
      put(object);
      graph.settle();
      return graph.computations() - before;
    };
    assert.equal(costOf(configMap("shared", { "ca.crt": `${one.certificate}\n`, more: "" })), 1);
    assert.equal(costOf(configMap("shared", { "ca.crt": two.certificate })), 51);
    assert.equal(answers.get("q7")?.bundle, two.certificate);
  });
});

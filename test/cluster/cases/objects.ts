// Objects with a mistake, each beside good ones: what they cost, what is said of them, and that nothing is worse after everything has
// started anew.
import assert from "node:assert/strict";
import { until } from "../../lab/testing/until.ts";
import { type Certificate, makeCertificate } from "../../support/certificates.ts";
import { type Found, listenerSays, makePlace, ours, patienceMs, type Place, says } from "../support/case-places.ts";
import type { FaultLab } from "../support/fault-lab.ts";
import { backend, gateway, httpListener, httpsListener, route, secret, systemNamespace } from "../support/manifests.ts";

const gatewayApi = "gateway.networking.k8s.io/v1";
const extension = (name: string) => ({
  type: "ExtensionRef",
  extensionRef: { group: "config.aether.io", kind: "HTTPFilter", name },
});
const marker = (value: string) => ({
  type: "ResponseHeaderModifier",
  responseHeaderModifier: { set: [{ name: "x-marker", value }] },
});

export function describeObjects(lab: () => FaultLab): void {
  let place: Place;
  let stands: string;
  let markers = 0;
  const ok = makeCertificate({ dnsNames: ["ok.example"] });
  const okListener = httpsListener("ok.example", "ok");

  before(async () => {
    place = await makePlace(lab(), "objects");
    await place.apply(
      secret("ok", ok),
      gateway("objects", [httpListener, okListener]),
      route("good", { gateway: "objects" }),
      route("ok", { gateway: "objects" }),
    );
    stands = await place.serves("objects");
    await lab().answers("good.example", "200", { address: stands });
  });
  after(() => place?.delete());

  const at = () => ({ address: stands });
  const shows = async (host: string, path = "/", ...more: readonly string[]) =>
    (
      await lab().lab.run([
        "curl",
        "--silent",
        "--include",
        "--max-time",
        "10",
        ...more,
        "--header",
        `host: ${host}`,
        `http://${stands}${path}`,
      ])
    ).stdout;
  /** An edit of the good route is served and reported. */
  async function goodTakesAnEdit(): Promise<void> {
    const value = String(++markers);
    await place.apply(route("good", { gateway: "objects", filters: [marker(value)] }));
    await until(
      `marker ${value}`,
      async () => ((await shows("good.example")).includes(`x-marker: ${value}\r`) ? true : undefined),
      patienceMs,
    );
    await place.when("httproute/good", says("Accepted", "True"));
    assert.equal(await lab().ask("ok.example", { address: stands, tls: true }), "200");
  }
  async function everythingAnew(): Promise<void> {
    await lab().lab.kubectl(["rollout", "restart", "deployment/gatewright", `--namespace=${systemNamespace}`]);
    await lab().rollout("deployment/gatewright", systemNamespace);
    await place.kubectl("rollout", "restart", "deployment/objects-gatewright");
    await lab().rollout("deployment/objects-gatewright", "objects");
    await until("the old Envoy is gone", async () =>
      (
        await place.kubectl(
          "get",
          "pods",
          "--output=name",
          "--selector=app.kubernetes.io/component=proxy,gateway.networking.k8s.io/gateway-name=objects",
        )
      )
        .trim()
        .split("\n").length === 1
        ? true
        : undefined,
    );
  }
  const eventsOf = async (name: string) =>
    place.kubectl(
      "get",
      "events.v1.events.k8s.io",
      `--field-selector=regarding.name=${name}`,
      '--output=jsonpath={range .items[*]}{.type} {.reason} {.reportingController}{"\\n"}{end}',
    );

  describe("certificates", () => {
    const dnsNames = ["case.example"] as const;
    const sound = makeCertificate({ dnsNames });
    const pair = (certificate: string, privateKey: string) => ({ certificate, privateKey });
    const bad: Readonly<Record<string, { readonly certificate: string; readonly privateKey: string }>> = {
      mixed: pair(sound.certificate, makeCertificate({ dnsNames }).privateKey),
      empty: pair("", sound.privateKey),
      "no-pem": pair("eA==", sound.privateKey),
      rsa1024: makeCertificate({ dnsNames, key: { kind: "rsa", bits: 1024 } }),
      curve: makeCertificate({ dnsNames, key: { kind: "ec", curve: "secp256k1" } }),
    };
    const names = [...Object.keys(bad), "missing"];
    const listeners = names.map((name) => httpsListener(`${name}.example`, name));

    it("cost their listeners only, heal, and are as they were after everything has started anew", () =>
      lab().steadily(async () => {
        await place.apply(...Object.entries(bad).map(([name, each]) => secret(name, each)));
        await place.apply(gateway("objects", [httpListener, okListener, ...listeners]));
        const areRefused = async () => {
          for (const name of names)
            await place.when("gateway/objects", listenerSays(name, "ResolvedRefs", "False", "InvalidCertificateRef"));
          for (const name of ["http", "ok"])
            await place.when("gateway/objects", listenerSays(name, "Programmed", "True"));
          for (const name of names)
            assert.equal(await lab().ask(`${name}.example`, { address: stands, tls: true }), "000");
        };
        await areRefused();
        await goodTakesAnEdit();
        await everythingAnew();
        await areRefused();
        await goodTakesAnEdit();
        const texts = [await lab().log(), await place.kubectl("get", "gateways,events", "--output=yaml")];
        for (const text of texts) assert.doesNotMatch(text, /PRIVATE KEY/);
        for (const name of names)
          await place.apply(
            secret(name, makeCertificate({ dnsNames: [`${name}.example`] })),
            route(name, { gateway: "objects" }),
          );
        for (const name of names) {
          await place.when("gateway/objects", listenerSays(name, "Programmed", "True"));
          await lab().answers(`${name}.example`, "200", { address: stands, tls: true });
        }
        await place.apply(gateway("objects", [httpListener, okListener]));
        await place.kubectl("delete", "httproute", ...names);
      }));

    it("are shown in their new form within moments of a rotation, again and again, and no request fails", () =>
      lab().steadily(async () => {
        for (let times = 0; times < 5; times++) {
          const next: Certificate = makeCertificate({ dnsNames: ["ok.example"] });
          await place.apply(secret("ok", next));
          await until("the new one is shown", async () =>
            (await shown("ok.example")) === bare(next.certificate) ? true : undefined,
          );
        }
      }));

    const bare = (pem: string) => pem.replaceAll(/-----[A-Z ]+-----|\s/g, "");
    async function shown(host: string): Promise<string> {
      const { stdout } = await lab().lab.run([
        "bash",
        "-c",
        `openssl s_client -connect ${stands}:443 -servername ${host} </dev/null 2>/dev/null`,
      ]);
      return bare(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/.exec(stdout)?.[0] ?? "");
    }

    it("that have expired are served, with a warning", async () => {
      const [notBefore, notAfter] = [new Date("2019-01-01T00:00:00Z"), new Date("2020-01-01T00:00:00Z")];
      await place.apply(secret("ok", makeCertificate({ dnsNames: ["ok.example"], notBefore, notAfter })));
      await place.when("gateway/objects", listenerSays("ok", "Programmed", "True"));
      const { status } = await place.when("gateway/objects", (found) =>
        /expired at 2020-01-01/.test(JSON.stringify(found.status)),
      );
      assert.ok(status);
      await goodTakesAnEdit();
      await place.apply(secret("ok", ok));
    });
  });

  describe("filters", () => {
    const filter = {
      apiVersion: "config.aether.io/v1",
      kind: "HTTPFilter",
      metadata: { name: "late" },
      spec: { headerToMetadata: { rules: [{ header: "x-tenant", metadataNamespace: "demo", metadataKey: "tenant" }] } },
    };
    const at_ = (path: string, filters: readonly object[]) => ({
      matches: [{ path: { type: "PathPrefix", value: path } }],
      filters,
      backendRefs: [{ name: "echo", port: 8080 }],
    });

    it("that are not there cost their rule, which answers 500, heals when they come, and fails again when they go", () =>
      lab().steadily(async () => {
        const base = route("filtered", { gateway: "objects" });
        await place.apply({ ...base, spec: { ...base.spec, rules: [at_("/a", [extension("late")]), at_("/b", [])] } });
        const answers = (a: string) =>
          until(`${a} of /a`, async () => {
            const [ofA, ofB] = [await shows("filtered.example", "/a"), await shows("filtered.example", "/b")];
            assert.match(ofB, /^HTTP\/1\.1 200/);
            return ofA.startsWith(`HTTP/1.1 ${a}`) ? true : undefined;
          });
        await lab().answers("filtered.example", "404", at());
        for (let times = 0; times < 2; times++) {
          await answers("500");
          await place.when("httproute/filtered", says("ResolvedRefs", "False"));
          assert.match(await eventsOf("filtered"), /Warning \w+ gatewright/);
          await goodTakesAnEdit();
          if (times === 1) await everythingAnew();
          await answers("500");
          await place.apply(filter);
          await answers("200");
          await place.when("httproute/filtered", says("ResolvedRefs", "True"));
          await place.kubectl("delete", "httpfilter", "late");
        }
        await answers("500");
        await place.kubectl("delete", "httproute", "filtered");
      }));
  });

  describe("authorities of backends", () => {
    const names = ["app.internal.example"] as const;
    const cas = [1, 2].map((n) => makeCertificate({ dnsNames: [`ca ${n}`], authority: true }));
    const [first, second] = cas;
    assert.ok(first && second);
    const shownBy = (issuer: Certificate) => secret("app-tls", makeCertificate({ dnsNames: names, issuer }));
    const ca = (text: string, key = "ca.crt") => ({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "app-ca" },
      data: { [key]: text },
    });
    const policy = (...refs: readonly object[]) => ({
      apiVersion: gatewayApi,
      kind: "BackendTLSPolicy",
      metadata: { name: "app" },
      spec: {
        targetRefs: [{ group: "", kind: "Service", name: "app" }],
        validation: { hostname: names[0], caCertificateRefs: refs },
      },
    });
    const reference = (name: string, kind = "ConfigMap") => ({ group: "", kind, name });
    const secureBackend = () => backend("app", 1, { tlsSecret: "app-tls" });
    const appAnswers = (status: string) => lab().answers("app.example", status, at());

    before(async () => {
      await place.apply(
        shownBy(first),
        ...secureBackend(),
        ca(first.certificate),
        policy(reference("app-ca")),
        route("app", { gateway: "objects", backend: "app" }),
      );
      await lab().rollout("deployment/app", "objects");
    });
    after(() => place.kubectl("delete", "backendtlspolicy/app", "httproute/app", "deployment/app", "service/app"));

    it("are followed as they are edited, deleted and made again, and nobody is spoken to without", () =>
      lab().steadily(async () => {
        await appAnswers("200");
        await place.apply(ca(second.certificate));
        await appAnswers("503");
        await place.apply(ca(first.certificate + second.certificate));
        await appAnswers("200");
        await place.apply(shownBy(second));
        await place.kubectl("rollout", "restart", "deployment/app");
        await lab().rollout("deployment/app", "objects");
        await appAnswers("200");
        await place.apply(ca(second.certificate));
        await appAnswers("200");
        await place.kubectl("delete", "configmap", "app-ca");
        await appAnswers("503");
        await place.when("backendtlspolicy/app", says("Accepted", "False", "NoValidCACertificate"));
        await goodTakesAnEdit();
        await everythingAnew();
        await appAnswers("503");
        await place.apply(ca(second.certificate));
        await appAnswers("200");
        await place.when("backendtlspolicy/app", says("ResolvedRefs", "True"));
      }));

    it("say what is wrong with each reference, and leave foreign entries as they are", async () => {
      const foreign = {
        ancestorRef: { name: "theirs" },
        controllerName: "example.com/other",
        conditions: [
          {
            type: "Accepted",
            status: "True",
            reason: "Accepted",
            message: "",
            lastTransitionTime: "2026-01-01T00:00:00Z",
            observedGeneration: 1,
          },
        ],
      };
      const own = (await place.read("backendtlspolicy/app")).status?.ancestors ?? [];
      await place.report("backendtlspolicy/app", { ancestors: [foreign, ...own] });
      const theirs = ({ status }: Found) => status?.ancestors?.filter(({ controllerName }) => controllerName !== ours);
      const before = theirs(await place.read("backendtlspolicy/app"));
      assert.equal(before?.length, 1);
      const cases: readonly (readonly [refs: readonly object[], reason: string, accepted: boolean, map?: object])[] = [
        [[reference("x", "Pod")], "InvalidKind", false],
        [[reference("missing")], "InvalidCACertificateRef", false],
        [[reference("app-ca")], "InvalidCACertificateRef", false, ca("not pem")],
        [
          [reference("app-ca"), reference("missing")],
          "InvalidCACertificateRef",
          true,
          ca(first.certificate + second.certificate),
        ],
      ];
      for (const [refs, reason, accepted, map] of cases) {
        await place.apply(...(map ? [map] : []), policy(...refs));
        await place.when("backendtlspolicy/app", says("ResolvedRefs", "False", reason));
        await place.when(
          "backendtlspolicy/app",
          says("Accepted", accepted ? "True" : "False", accepted ? undefined : "NoValidCACertificate"),
        );
        await lab().answers("app.example", accepted ? "200" : "503", at());
        assert.deepEqual(theirs(await place.read("backendtlspolicy/app")), before);
      }
      await goodTakesAnEdit();
      await place.apply(policy(reference("app-ca")));
      await place.when("backendtlspolicy/app", says("ResolvedRefs", "True"));
    });
  });
}

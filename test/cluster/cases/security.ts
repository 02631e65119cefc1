// Who is told what: Envoys prove who they are, nobody reads by a Gateway what he may not read himself, and what proves anything is renewed.
import assert from "node:assert/strict";
import path from "node:path";
import { until } from "../../lab/testing/until.ts";
import { makeCertificate } from "../../support/certificates.ts";
import { listenerSays, makePlace, patienceMs, type Place, says } from "../support/case-places.ts";
import type { FaultLab } from "../support/fault-lab.ts";
import { gateway, httpListener, httpsListener, route, secret, systemNamespace } from "../support/manifests.ts";
import type { StrangerOptions, StrangerReport } from "../support/stranger.ts";

const serverName = `gatewright.${systemNamespace}.svc`;
const authoritySecret = "gatewright-ca";
const gatewayApi = "gateway.networking.k8s.io";

export function describeSecurity(lab: () => FaultLab): void {
  let place: Place;
  let stands: string;
  let mine: { readonly authority: string; readonly certificate: string; readonly privateKey: string };

  before(async () => {
    place = await makePlace(lab(), "secure");
    await place.apply(
      secret("cert", makeCertificate({ dnsNames: ["secure.example"] })),
      gateway("secure", [httpListener, httpsListener("secure.example", "cert")]),
      route("secure", { gateway: "secure" }),
      gateway("other"),
    );
    stands = await place.serves("secure");
    await lab().answers("secure.example", "200", { address: stands, tls: true });
    mine = await proofOf("secure");
  });
  after(() => place?.delete());

  async function proofOf(name: string) {
    const text = await place.kubectl("get", "secret", `${name}-gatewright`, "--output=json");
    const { data } = JSON.parse(text) as { data: Record<string, string> };
    const read = (key: string) => Buffer.from(data[key] ?? "", "base64").toString();
    return { authority: read("ca.crt"), certificate: read("tls.crt"), privateKey: read("tls.key") };
  }
  async function asks(options: Omit<StrangerOptions, "target" | "serverName">): Promise<StrangerReport> {
    const [operator] = await lab().operators();
    const script = path.resolve(import.meta.dirname, "../support/stranger.ts");
    const { stdout } = await lab().lab.run([
      process.execPath,
      "--conditions=source",
      script,
      JSON.stringify({ target: `${operator?.ip}:18000`, serverName, ...options }),
    ]);
    return JSON.parse(stdout) as StrangerReport;
  }

  describe("what Envoys are told", () => {
    it("is told to whoever has the certificate of that Gateway", async () => {
      const { resources, refusal } = await asks({ ...mine, cluster: "secure/secure" });
      assert.equal(refusal, undefined);
      assert.ok(
        resources.some((name) => /^Listener \w+-443/.test(name)),
        resources.join(", "),
      );
    });

    const own = makeCertificate({ dnsNames: ["stranger"], uris: ["spiffe://gatewright.dev/gateway/secure/secure"] });
    const strangers: readonly {
      readonly name: string;
      readonly proof: () => Omit<StrangerOptions, "target" | "serverName">;
    }[] = [
      { name: "speaks without TLS", proof: () => ({ cluster: "secure/secure" }) },
      { name: "has no certificate", proof: () => ({ cluster: "secure/secure", authority: mine.authority }) },
      {
        name: "has made itself a certificate of that Gateway",
        proof: () => ({ cluster: "secure/secure", authority: mine.authority, ...pairOf(own) }),
      },
      { name: "has the certificate of another Gateway", proof: () => ({ ...mine, cluster: "secure/other" }) },
      { name: "asks for a Gateway elsewhere", proof: () => ({ ...mine, cluster: "faults/steady" }) },
      { name: "asks for a Gateway that is not there", proof: () => ({ ...mine, cluster: "secure/none" }) },
      { name: "asks for no Gateway", proof: () => ({ ...mine, cluster: "" }) },
      { name: "asks for a Gateway by a part of its name", proof: () => ({ ...mine, cluster: "secure/secur" }) },
    ];
    for (const { name, proof } of strangers)
      it(`is not told to whoever ${name}`, async () => {
        const { resources, refusal } = await asks(proof());
        assert.deepEqual(resources, []);
        assert.ok(refusal !== undefined && !/nothing came/.test(refusal), refusal);
      });
  });

  describe("what users can reach", () => {
    let theirs: Place;
    before(async () => {
      theirs = await makePlace(lab(), "theirs");
      await theirs.apply(secret("secret", makeCertificate({ dnsNames: ["theirs.example"] })), {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: "ca" },
        data: { "ca.crt": mine.authority },
      });
    });
    after(() => theirs?.delete());

    const tls = (name: string, namespace: string) => ({
      ...httpsListener("theirs.example", "theirs"),
      tls: { certificateRefs: [{ name, namespace }] },
    });
    const grant = (from: object, to: object) => ({
      apiVersion: `${gatewayApi}/v1`,
      kind: "ReferenceGrant",
      metadata: { name: "grant" },
      spec: { from: [from], to: [to] },
    });
    const gateways = { group: gatewayApi, kind: "Gateway", namespace: "secure" };
    const listeners = (name: string, namespace = "theirs") =>
      gateway("secure", [httpListener, httpsListener("secure.example", "cert"), tls(name, namespace)]);
    const isRefused = (name = "theirs") => listenerSays(name, "ResolvedRefs", "False", "RefNotPermitted");

    it("is no Secret of another namespace, but by a grant that means this reference, and only as long as there is one", () =>
      lab().steadily(async () => {
        await place.apply(listeners("secret"));
        const grants = [
          grant({ ...gateways, kind: "HTTPRoute" }, { group: "", kind: "Secret" }),
          grant({ ...gateways, namespace: "faults" }, { group: "", kind: "Secret" }),
          grant(gateways, { group: "", kind: "Secret", name: "another" }),
          grant(gateways, { group: "", kind: "Service" }),
          grant({ ...gateways, group: "example.com" }, { group: "", kind: "Secret" }),
        ];
        await place.when("gateway/secure", isRefused());
        for (const each of grants) {
          await theirs.apply(each);
          await lab().takesChanges("amid-grants");
          await place.when("gateway/secure", isRefused());
          assert.equal(await lab().ask("theirs.example", { address: stands, tls: true }), "000");
        }
        await theirs.apply(grant(gateways, { group: "", kind: "Secret", name: "secret" }));
        await place.when("gateway/secure", listenerSays("theirs", "ResolvedRefs", "True"));
        await until("it shakes hands", async () =>
          (await lab().ask("theirs.example", { address: stands, tls: true })) === "404" ? true : undefined,
        );
        await theirs.kubectl("delete", "referencegrant", "grant");
        await place.when("gateway/secure", isRefused());
        await until("it shakes hands no more", async () =>
          (await lab().ask("theirs.example", { address: stands, tls: true })) === "000" ? true : undefined,
        );
      }));

    it("is neither the operator's authority nor what other Gateways' Envoys prove themselves with", async () => {
      for (const [name, namespace] of [
        [authoritySecret, systemNamespace],
        ["steady-gatewright", "faults"],
      ] as const) {
        await place.apply(listeners(name, namespace));
        await place.when("gateway/secure", isRefused());
      }
      await place.apply(listeners("secret"));
    });

    it("is no backend, no mirror and no authority of another namespace without a grant", async () => {
      const elsewhere = { name: "echo", namespace: "theirs", port: 8080 };
      const base = route("reach", { gateway: "secure" });
      const mirror = { type: "RequestMirror", requestMirror: { backendRef: elsewhere } };
      for (const rules of [
        [{ backendRefs: [elsewhere] }],
        [{ filters: [mirror], backendRefs: [{ name: "echo", port: 8080 }] }],
      ]) {
        await place.apply({ ...base, spec: { ...base.spec, rules } });
        await place.when("httproute/reach", says("ResolvedRefs", "False", "RefNotPermitted"));
      }
      await place.apply({ ...base, spec: { ...base.spec, rules: [{ backendRefs: [elsewhere] }] } });
      await lab().answers("reach.example", "500", { address: stands });
      await place.kubectl("delete", "httproute", "reach");
    });

    const commands = [
      "%FILE_CONTENT(/etc/passwd)%",
      "%ENVIRONMENT(HOSTNAME)%",
      "%CEL(xds.node.id)%",
      "%FILTER_STATE(x:PLAIN)%",
    ];
    it("is no file and no variable of an Envoy, by headers or filters", async () => {
      for (const [index, value] of commands.entries()) {
        const name = `filter-${index}`;
        const mutation = { append: { header: { key: "x-leak", value } } };
        await place.apply(
          {
            apiVersion: "config.aether.io/v1",
            kind: "HTTPFilter",
            metadata: { name },
            spec: {
              filter: "envoy.filters.http.header_mutation",
              typedConfig: {
                "@type": "type.googleapis.com/envoy.extensions.filters.http.header_mutation.v3.HeaderMutationPerRoute",
                mutations: { responseMutations: [mutation] },
              },
            },
          },
          route("leak", {
            gateway: "secure",
            filters: [{ type: "ExtensionRef", extensionRef: { group: "config.aether.io", kind: "HTTPFilter", name } }],
          }),
        );
        await place.when(`httpfilter/${name}`, says("Accepted", "False"));
        await lab().answers("leak.example", "500", { address: stands });
        // A header that says so is one that says so.
        const set = { type: "ResponseHeaderModifier", responseHeaderModifier: { set: [{ name: "x-leak", value }] } };
        await place.apply(route("leak", { gateway: "secure", filters: [set] }));
        await lab().answers("leak.example", "200", { address: stands });
        const { stdout } = await lab().lab.run([
          "curl",
          "--silent",
          "--include",
          "--header",
          "host: leak.example",
          `http://${stands}/`,
        ]);
        assert.ok(stdout.toLowerCase().includes(`x-leak: ${value.toLowerCase()}`), stdout);
      }
    });
  });

  describe("what proves who somebody is", () => {
    const streams = () => lab().counts("gatewright_ads_streams", /^/, (sum) => sum === 4);
    /** Envoys that start now, and those that are there, are served. */
    const allServed = async () => {
      await streams();
      await lab().takesChanges("all-know");
      await place.kubectl("rollout", "restart", "deployment/secure-gatewright");
      await lab().rollout("deployment/secure-gatewright", "secure");
      await streams();
      await lab().answers("secure.example", "200", { address: stands, tls: true });
    };
    const serialOf = async () => (await proofOf("secure")).certificate;

    it("is issued anew for a Gateway whose Secret is deleted, broken, or holds what has expired", () =>
      lab().steadily(async () => {
        const expired = makeCertificate({
          dnsNames: ["secure/secure"],
          uris: ["spiffe://gatewright.dev/gateway/secure/secure"],
          notBefore: new Date(Date.now() - 100_000),
          notAfter: new Date(Date.now() - 50_000),
        });
        const breaks = [
          () => place.kubectl("delete", "secret", "secure-gatewright"),
          () => replace({ "tls.key": "eA==" }),
          () => replace(secret("", expired).data),
        ];
        const replace = (data: object) =>
          place.kubectl("patch", "secret", "secure-gatewright", "--type=merge", `--patch=${JSON.stringify({ data })}`);
        for (const breakIt of breaks) {
          await breakIt();
          await until(
            "it is good again",
            async () => {
              const { resources } = await asks({ ...(await proofOf("secure")), cluster: "secure/secure" });
              return resources.length > 0 ? true : undefined;
            },
            patienceMs,
          );
        }
        await allServed();
      }));

    it("outlives the loss of the operator's authority, also over a restart", () =>
      lab().steadily(async () => {
        const held = () =>
          lab().lab.kubectl([
            "get",
            "secret",
            authoritySecret,
            "--ignore-not-found",
            `--namespace=${systemNamespace}`,
            "--output=jsonpath={.data}",
          ]);
        const [authority, before] = [await held(), await serialOf()];
        await lab().lab.kubectl(["delete", "secret", authoritySecret, `--namespace=${systemNamespace}`]);
        await until("it is made again as it was", async () => ((await held()) === authority ? true : undefined));
        await allServed();
        await lab().lab.kubectl(["rollout", "restart", "deployment/gatewright", `--namespace=${systemNamespace}`]);
        await lab().rollout("deployment/gatewright", systemNamespace);
        await allServed();
        assert.equal(await serialOf(), before, "nobody had to be given anything new");
        const { resources } = await asks({ ...(await proofOf("secure")), cluster: "secure/secure" });
        assert.notDeepEqual(resources, []);
      }));

    it("follows an authority that an administrator brings, and ignores one that cannot be one", () =>
      lab().steadily(async () => {
        const authority = makeCertificate({ dnsNames: ["our authority"], authority: true });
        const leaf = makeCertificate({ dnsNames: ["no authority"] });
        const put = (pair: typeof authority, others: string) => {
          const { data, ...rest } = secret(authoritySecret, pair);
          return lab().lab.kubectl(
            ["replace", `--namespace=${systemNamespace}`, "--filename=-"],
            JSON.stringify({ ...rest, data: { ...data, "ca.crt": Buffer.from(others).toString("base64") } }),
          );
        };
        const { authority: old } = await proofOf("secure");
        await put(authority, old + authority.certificate);
        await until("Envoys have its", async () => {
          const { authority: believed } = await proofOf("secure");
          return believed.includes(authority.certificate.trim()) ? true : undefined;
        });
        await allServed();
        await put(leaf, leaf.certificate);
        await until("it is said", async () =>
          /not the certificate of an authority/.test(await lab().log()) ? true : undefined,
        );
        await allServed();
        await put(authority, authority.certificate);
        await allServed();
        const { data } = JSON.parse(
          await lab().lab.kubectl([
            "get",
            "secret",
            authoritySecret,
            `--namespace=${systemNamespace}`,
            "--output=json",
          ]),
        ) as { data: Record<string, string> };
        assert.equal(Buffer.from(data["tls.crt"] ?? "", "base64").toString(), authority.certificate);
      }));
  });
}

const pairOf = ({ certificate, privateKey }: { readonly certificate: string; readonly privateKey: string }) => ({
  certificate,
  privateKey,
});

import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { makeCertificate } from "../../../../test/support/certificates.ts";
import { refusedByEnvoy, type StaticConfig } from "../../../../test/support/envoy-validate.ts";
import { formProblem } from "./form.ts";

const made = makeCertificate({
  dnsNames: ["authority"],
  authority: true,
  notBefore: new Date("2024-02-29T12:30:40Z"),
  notAfter: new Date("2061-12-31T00:00:00Z"),
});
const der = new X509Certificate(made.certificate).raw;

/** The certificate with some bytes put in place of others, as many; its signature is nobody's business here. */
function changed(from: Buffer | string, to: Buffer | string): X509Certificate {
  const [before, after] = [Buffer.from(from), Buffer.from(to)];
  const at = der.indexOf(before);
  assert.ok(at > 0 && before.length === after.length);
  const copy = Buffer.from(der);
  after.copy(copy, at);
  return new X509Certificate(copy);
}

const version = (value: number) => Buffer.from([0xa0, 3, 2, 1, value]);

const cases: Readonly<Record<string, readonly [X509Certificate, RegExp | undefined]>> = {
  "one in good form": [new X509Certificate(der), undefined],
  "a leap day": [changed("240229123040Z", "280229123040Z"), undefined],
  "the year 2049": [changed("240229123040Z", "491231235959Z"), undefined],
  "a version with extensions that knows none": [changed(version(2), version(1)), /version 2 and has extensions/],
  "a version that nobody knows": [changed(version(2), version(3)), /unknown version/],
  "a month that is none": [changed("240229123040Z", "241329123040Z"), /a date that is none/],
  "a day that is none": [changed("240229123040Z", "230229123040Z"), /a date that is none/],
  "an hour that is none": [changed("240229123040Z", "240229243040Z"), /a date that is none/],
  "a second too many": [changed("240229123040Z", "240229123060Z"), /a date that is none/],
  "a fraction of a second": [changed("20611231000000Z", "206112310000.5Z"), /a date that is none/],
};

describe("formProblem()", function () {
  this.timeout(60_000);

  for (const [title, [certificate, problem]] of Object.entries(cases))
    it(`${problem === undefined ? "takes" : "refuses"} ${title}`, () =>
      problem === undefined
        ? assert.equal(formProblem(certificate), undefined)
        : assert.match(formProblem(certificate) ?? "", problem));

  it("is of one mind with Envoy", async () => {
    const configs = new Map<string, StaticConfig>();
    for (const [title, [certificate]] of Object.entries(cases)) configs.set(title, trusting(certificate.toString()));
    const refused = await refusedByEnvoy(configs);
    const expected = Object.entries(cases).flatMap(([title, [, problem]]) => (problem === undefined ? [] : [title]));
    assert.deepEqual([...refused.keys()].sort(), expected.sort());
  });
});

const trusting = (pem: string): StaticConfig => ({
  static_resources: {
    clusters: [
      {
        name: "cluster",
        type: "STATIC",
        connect_timeout: "1s",
        load_assignment: { cluster_name: "cluster" },
        transport_socket: {
          name: "envoy.transport_sockets.tls",
          typed_config: {
            "@type": "type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext",
            common_tls_context: { validation_context: { trusted_ca: { inline_string: pem } } },
          },
        },
      },
    ],
  },
});

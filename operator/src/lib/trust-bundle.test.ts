import assert from "node:assert/strict";
import { makeCertificate } from "../../../test/support/certificates.ts";
import { readTrustBundle } from "./trust-bundle.ts";

const [one, two] = ["one", "two"].map((name) => makeCertificate({ dnsNames: [name], authority: true }).certificate);
assert.ok(one && two);
const leaf = makeCertificate({ dnsNames: ["leaf"] });
const expired = makeCertificate({ dnsNames: ["late"], authority: true, notAfter: new Date("2020-01-01T00:00:00Z") });
const withHeaders = one.replace("-----\n", "-----\nProc-Type: 4,ENCRYPTED\n\n");

const good: Readonly<Record<string, readonly [string, readonly string[]]>> = {
  one: [one, [one]],
  "several, in order": [two + one, [two, one]],
  "comments between, before and after": [`# two\n${two}\nand one:\n${one}\nend`, [two, one]],
  "other line ends": [one.replaceAll("\n", "\r\n"), [one]],
  "one that has expired": [expired.certificate, [expired.certificate]],
};

const bad: Readonly<Record<string, readonly [string, RegExp]>> = {
  "an empty text": ["", /^at least one trust anchor must be provided$/],
  "a text without any": ["# to come\n", /^at least one trust anchor must be provided$/],
  "a private key": [one + leaf.privateKey, /^entry 1 has bad block type: PRIVATE KEY$/],
  "headers in a block": [withHeaders, /^entry 0 has PEM block headers$/],
  "a block of something else": [one.replaceAll("CERTIFICATE", "CERTIFICATE REQUEST"), /^entry 0 has bad block type/],
  "a certificate that is none": [
    "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
    /^entry 0 does not parse as X\.509$/,
  ],
  "one that may not issue others": [one + leaf.certificate, /^entry 1 does not have the CA bit set$/],
  "one twice": [one + two + one, /^duplicate trust anchor \(indices \[0 2\]\)$/],
  "one that is cut": [one + two.slice(0, 200), /^there is a PEM block that does not end$/],
};

describe("readTrustBundle()", () => {
  for (const [title, [text, certificates]] of Object.entries(good))
    it(`takes ${title}`, () => {
      const reading = readTrustBundle(text);
      assert.deepEqual(reading.kind === "certificates" ? reading.certificates.map(String) : reading, certificates);
    });

  for (const [title, [text, message]] of Object.entries(bad))
    it(`refuses ${title}, and quotes nothing of it`, () => {
      const reading = readTrustBundle(text);
      assert.equal(reading.kind, "problems");
      assert.match(reading.problems.join("; "), message);
      assert.doesNotMatch(reading.problems.join("; "), /BEGIN|MI[GIE]/);
    });
});

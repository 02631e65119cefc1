import assert from "node:assert/strict";
import { parsePem } from "./pem.ts";

const block = (label: string, body = "AAAA") => `-----BEGIN ${label}-----\n${body}\n-----END ${label}-----`;

describe("parsePem()", () => {
  it("finds blocks in order, whatever stands around them", () => {
    const text = `subject: x\n${block("EC PARAMETERS")}\njunk - with ---- dashes\n${block("PRIVATE KEY")}\n`;
    assert.deepEqual(parsePem(text), [
      { label: "EC PARAMETERS", text: block("EC PARAMETERS") },
      { label: "PRIVATE KEY", text: block("PRIVATE KEY") },
    ]);
  });

  it("keeps headers inside of a block", () => {
    const encrypted = block("RSA PRIVATE KEY", "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,00\n\nAAAA");
    assert.equal(parsePem(encrypted)?.[0]?.text, encrypted);
  });

  it("finds none in other text", () => assert.deepEqual(parsePem("Hello world\n"), []));

  const broken = {
    "does not end": "-----BEGIN CERTIFICATE-----\nAAAA\n",
    "ends as another": "-----BEGIN CERTIFICATE-----\nAAAA\n-----END PRIVATE KEY-----",
    "is cut in its first line": "-----BEGIN CERTIFICATE",
    "does not end before the next": `-----BEGIN CERTIFICATE-----\nAAAA\n${block("CERTIFICATE")}`,
  };
  for (const [title, text] of Object.entries(broken))
    it(`refuses a block that ${title}`, () => assert.equal(parsePem(text), undefined));
});

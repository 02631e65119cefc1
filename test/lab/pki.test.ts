import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { makePki, pkiFiles } from "./pki.ts";

describe("makePki()", () => {
  it("makes what the API server shows, and what its clients trust", async () => {
    const folder = await mkdtemp(path.join(tmpdir(), "lab-pki-"));
    try {
      const kubeconfig = path.join(folder, "kubeconfig");
      await makePki(folder, kubeconfig);
      const files = pkiFiles(folder);
      const authority = new X509Certificate(await readFile(files.authority));
      const server = new X509Certificate(await readFile(files.server));
      assert.equal(authority.ca, true);
      assert.equal(server.ca, false);
      assert.equal(server.verify(authority.publicKey), true);
      assert.equal(server.checkHost("kubernetes.default.svc"), "kubernetes.default.svc");
      for (const address of ["198.18.0.1", "198.19.0.1"]) assert.equal(server.checkIP(address), address);
      assert.equal(server.checkIP("198.18.0.2"), undefined);

      const config: unknown = JSON.parse(await readFile(kubeconfig, "utf8"));
      const text = JSON.stringify(config);
      assert.ok(text.includes(Buffer.from(authority.toString()).toString("base64")));
      const token = (await readFile(files.tokens, "utf8")).split(",")[0] ?? "";
      assert.ok(token.length === 32 && text.includes(token));
      assert.equal((await stat(kubeconfig)).mode & 0o077, 0);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

import assert from "node:assert/strict";
import { type Contender, findConflicts } from "./conflicts.ts";

const contender = (name: string, port: number, protocol = "HTTP", hostname = "*"): Contender => ({
  name,
  port,
  protocol,
  hostname,
});

const conflictsOf = (...contenders: readonly Contender[]) =>
  Object.fromEntries([...findConflicts(contenders)].map(([name, { reason }]) => [name, reason]));

describe("findConflicts()", () => {
  it("lets share a port who differs by hostname", () => {
    const listeners = ["*", "*.example.com", "a.example.com"].map((host) => contender(host, 80, "HTTP", host));
    assert.deepEqual(conflictsOf(...listeners), {});
  });

  it("lets share a hostname who differs by port", () => {
    assert.deepEqual(conflictsOf(contender("a", 80), contender("b", 8080)), {});
  });

  it("refuses all that have port and hostname in common, and nobody else", () => {
    const conflicts = conflictsOf(
      contender("a", 80, "HTTP", "x.example.com"),
      contender("b", 80, "HTTP", "x.example.com"),
      contender("c", 80, "HTTP", "y.example.com"),
    );
    assert.deepEqual(conflicts, { a: "HostnameConflict", b: "HostnameConflict" });
  });

  it("refuses all of a port that expect different protocols, whatever their hostnames", () => {
    const conflicts = conflictsOf(
      contender("a", 80, "HTTP", "a.example.com"),
      contender("b", 80, "HTTPS", "b.example.com"),
      contender("c", 80, "HTTP", "c.example.com"),
      contender("d", 443, "HTTPS"),
    );
    assert.deepEqual(conflicts, { a: "ProtocolConflict", b: "ProtocolConflict", c: "ProtocolConflict" });
  });

  it("takes TLS and HTTPS for one protocol on the wire", () => {
    assert.deepEqual(conflictsOf(contender("a", 443, "HTTPS", "a.io"), contender("b", 443, "TLS", "b.io")), {});
  });

  it("names the rivals", () => {
    const conflicts = findConflicts([contender("a", 80), contender("b", 80, "HTTPS"), contender("c", 80, "TLS", "x")]);
    assert.equal(conflicts.get("a")?.message, "port 80 is also that of b (HTTPS), c (TLS)");
  });
});

import assert from "node:assert/strict";
import { infraName, labelValue } from "./names.ts";

describe("infraName()", () => {
  const long = "a".repeat(253);

  it("is that of the Gateway and its class", () => {
    assert.equal(infraName({ name: "web", className: "gatewright" }), "web-gatewright");
  });

  it("is one that a Service may have, whatever the Gateway's is", () => {
    for (const name of [long, "1st", "web.shop", "1.2.3", `${"a".repeat(51)}.b`, "x".repeat(52), "x".repeat(53)]) {
      for (const className of ["gatewright", "my.class", "c-d", "c".repeat(253)])
        assert.match(infraName({ name, className }), /^(?=.{1,63}$)[a-z][-a-z0-9]*[a-z0-9]$/, `${name} ${className}`);
    }
  });

  it("is not that of another Gateway of the namespace", () => {
    const names = ["a", "a-b", "a.b", "a-b-c", "gw-1", "1", long, `${long.slice(1)}b`];
    const classes = ["c", "b-c", "b.c", "b-c.d", "gatewright"];
    const all = names.flatMap((name) => classes.map((className) => infraName({ name, className })));
    assert.equal(new Set(all).size, all.length);
  });

  it("leaves names that fit as values of labels, and cuts others with a hash", () => {
    assert.equal(labelValue("web.shop"), "web.shop");
    assert.match(labelValue(long), /^a{54}-[0-9a-f]{8}$/);
    assert.notEqual(labelValue(long), labelValue(`${long}b`));
  });
});

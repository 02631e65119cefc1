import assert from "node:assert/strict";
import { mentions, refusalMessage } from "./refusal-message.ts";

describe("what a client says to a refused response", () => {
  it("leaves out the resource's text before the reason", () => {
    const text =
      'goo.gle/debugproto  \nname: "bad"\nvirtual_hosts {\n  name: "with a secret"\n}\n: Proto constraint validation failed (ClusterValidationError.ConnectTimeout: value must be greater than 0s)';
    assert.equal(
      refusalMessage(text),
      "Proto constraint validation failed (ClusterValidationError.ConnectTimeout: value must be greater than 0s)",
    );
  });

  it("leaves out the resource's text after the reason", () => {
    const text =
      'Unable to unpack as envoy.config.cluster.v3.Cluster: goo.gle/debugstr  \ntype_url: "x"\nvalue: "\\377"\n';
    assert.equal(refusalMessage(text), "Unable to unpack as envoy.config.cluster.v3.Cluster");
  });

  it("leaves out a text whose reason was cut off", () => {
    assert.equal(
      refusalMessage('goo.gle/debugproto \nprivate_key {\n  inline_string: "---'),
      "refused; the reason did not come with it",
    );
  });

  it("is one line", () => {
    assert.equal(
      refusalMessage("Error adding/updating listener(s) a: no\nb: nor\n"),
      "Error adding/updating listener(s) a: no b: nor",
    );
  });

  it("is cut to 512 characters and never inside one", () => {
    const text = `x${"🧨".repeat(400)}`;
    const message = refusalMessage(text);
    assert.ok(message.length <= 512);
    assert.ok(message.endsWith("🧨…"), "the last character is whole");
    assert.equal(refusalMessage("y".repeat(512)), "y".repeat(512));
  });
});

describe("names in an error", () => {
  it("are found where they stand by themselves", () => {
    const text = "Error adding/updating cluster(s) team-a/app|80: no such thing";
    assert.ok(mentions(text, "team-a/app|80"));
    assert.ok(!mentions(text, "app|80"));
    assert.ok(!mentions(text, "team-a/app|8"));
    assert.ok(!mentions(text, ""));
    assert.ok(mentions('route "b", cluster "bb"', "b"));
  });
});

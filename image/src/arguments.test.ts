import assert from "node:assert/strict";
import { defaultOutput, parseArguments } from "./arguments.ts";

describe("the arguments of the image's builder", () => {
  it("left out, mean all platforms, in the usual place", () => {
    const parsed = parseArguments([]);
    assert.deepEqual(parsed, {
      kind: "build",
      architectures: ["amd64", "arm64"],
      output: defaultOutput,
      unpack: undefined,
      mirrors: {},
      offline: false,
    });
  });

  it("name platforms with or without their system, in any order", () => {
    const parsed = parseArguments(["--platform", "arm64,linux/amd64"]);
    assert.deepEqual(parsed.kind === "build" && parsed.architectures, ["amd64", "arm64"]);
    const wrong = parseArguments(["--platform", "linux/s390x"]);
    assert.match(wrong.kind === "wrong" ? wrong.message : "", /no image for s390x: linux\/amd64 or linux\/arm64/);
  });

  it("name mirrors, also for new pins", () => {
    const argv = ["--mirror", "http://a.test", "--security-mirror", "http://b.test"];
    const mirrors = { debian: "http://a.test", "debian-security": "http://b.test" };
    assert.deepEqual(parseArguments([...argv, "--update-pins"]), { kind: "update-pins", mirrors });
    const parsed = parseArguments(argv);
    assert.deepEqual(parsed.kind === "build" && parsed.mirrors, mirrors);
  });

  it("are refused where they are unknown", () => {
    assert.equal(parseArguments(["--push"]).kind, "wrong");
    assert.equal(parseArguments(["--help"]).kind, "help");
  });
});

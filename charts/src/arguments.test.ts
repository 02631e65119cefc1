import assert from "node:assert/strict";
import { parseArguments } from "./arguments.ts";

const parse = (line: string) => parseArguments(line === "" ? [] : line.split(" "));
const defaults = {
  image: "example.com/gatewright:v1",
  namespace: "gatewright-system",
  replicas: 2,
  controllerName: "gatewright.dev/gateway-controller",
  gatewayClass: "gatewright",
};

describe("parseArguments()", () => {
  it("prints definitions and roles for people where there is no command", () => {
    assert.deepEqual(parse(""), { kind: "crds", channel: "standard" });
    assert.deepEqual(parse("--channel experimental"), { kind: "crds", channel: "experimental" });
    assert.deepEqual(parse("crds --channel experimental"), { kind: "crds", channel: "experimental" });
    assert.deepEqual(parse("install --help"), { kind: "help" });
    assert.deepEqual(parse("--channel experimental --overlay cluster-trust-bundle-ref"), {
      kind: "crds",
      channel: "experimental",
      overlay: "cluster-trust-bundle-ref",
    });
  });

  it("installs with safe defaults, or as it is told to", () => {
    assert.deepEqual(parse("install --image example.com/gatewright:v1"), {
      kind: "install",
      channel: "standard",
      guard: true,
      operator: defaults,
    });
    const all =
      "install --image i --namespace gw --replicas 1 --controller-name a/b --proxy-image e --no-crds --no-guard --gateway-class=";
    assert.deepEqual(parse(all), {
      kind: "install",
      guard: false,
      operator: { image: "i", namespace: "gw", replicas: 1, controllerName: "a/b", proxyImage: "e" },
    });
  });

  it("says what it does not understand", () => {
    const wrong: Record<string, RegExp> = {
      install: /^install needs --image$/,
      "install more --image i": /^no command install more/,
      remove: /^no command remove: there are crds and install$/,
      "--channel beta": /^--channel beta: it must be one of standard, experimental$/,
      "--overlay more": /^--overlay more: it must be cluster-trust-bundle-ref$/,
      "--overlay cluster-trust-bundle-ref": /^--overlay needs --channel experimental$/,
      "--replicas 3": /^--replicas is an option of install$/,
      "install --image i --replicas 0": /^--replicas 0: /,
      "install --image i --namespace A": /^--namespace A: /,
      "--chanel beta": /--chanel/,
    };
    for (const [line, message] of Object.entries(wrong)) {
      const parsed = parse(line);
      assert.ok(parsed.kind === "wrong", line);
      assert.match(parsed.message, message);
    }
  });
});

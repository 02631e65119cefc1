import assert from "node:assert/strict";
import { parseArguments } from "./arguments.ts";

const parse = (line: string, env: NodeJS.ProcessEnv = {}) => parseArguments(line === "" ? [] : line.split(" "), env);

describe("parseArguments() of the lab", () => {
  const commands: readonly (readonly [string, object])[] = [
    ["up", { kind: "up", options: {} }],
    ["up --without-cluster-trust-bundle", { kind: "up", options: { clusterTrustBundle: false } }],
    [
      "up --with-cluster-trust-bundle --max-grace 3",
      { kind: "up", options: { clusterTrustBundle: true, maxGraceSeconds: 3 } },
    ],
    ["down", { kind: "down" }],
    ["kubectl get pods -A --help", { kind: "kubectl", args: ["get", "pods", "-A", "--help"] }],
    [
      "exec curl --name x http://198.19.128.1/",
      { kind: "exec", args: ["curl", "--name", "x", "http://198.19.128.1/"] },
    ],
    ["restart kube-apiserver", { kind: "restart", component: "kube-apiserver" }],
    ["logs node -f", { kind: "logs", component: "node", follow: true }],
    ["crds", { kind: "crds", channel: "experimental" }],
    ["crds standard", { kind: "crds", channel: "standard" }],
    [
      "image gatewright /rootfs --config /c.json",
      { kind: "image", match: "gatewright", root: "/rootfs", config: "/c.json" },
    ],
  ];
  for (const [line, command] of commands)
    it(`reads "${line}"`, () => assert.deepEqual(parse(line), { kind: "command", name: "lab", command }));

  it("takes the lab's name from before the command, else from the environment", () => {
    for (const line of ["--name two down", "--name=two down"])
      assert.deepEqual(parse(line), { kind: "command", name: "two", command: { kind: "down" } });
    assert.deepEqual(parse("down", { GATEWRIGHT_LAB_NAME: "three" }), {
      kind: "command",
      name: "three",
      command: { kind: "down" },
    });
  });

  for (const line of ["--help", "-h", "help", "up --help", "logs --help"])
    it(`helps on "${line}"`, () => assert.deepEqual(parse(line), { kind: "help" }));

  const mistakes: readonly (readonly [string, RegExp])[] = [
    ["", /which command/],
    ["fly", /unknown command fly/],
    ["--fast up", /unknown option --fast/],
    ["--name", /--name needs a name/],
    ["up --fast", /--fast/],
    ["up now", /now/],
    ["up --with-cluster-trust-bundle --without-cluster-trust-bundle", /not both/],
    ["up --max-grace soon", /number of seconds/],
    ["down now", /now/],
    ["exec", /exec needs a command/],
    ["stop", /stop needs one of etcd, kube-apiserver/],
    ["stop kubelet", /stop needs one of/],
    ["stop etcd node", /stop needs one of/],
    ["crds alpha", /no channel alpha/],
    ["image gatewright", /needs a name and a folder/],
  ];
  for (const [line, message] of mistakes)
    it(`says what is wrong with "${line}"`, () => {
      const parsed = parse(line);
      assert.equal(parsed.kind, "wrong");
      assert.match(parsed.kind === "wrong" ? parsed.message : "", message);
    });
});

import assert from "node:assert/strict";
import { formatProblems, type Host, preflight } from "./preflight.ts";

const good: Host = {
  platform: "linux",
  arch: "x64",
  userId: 0,
  hasTool: async () => true,
  attempt: async () => ({}),
};

const problemsOf = async (change: Partial<Host>) => formatProblems(await preflight({ ...good, ...change }));

describe("preflight()", () => {
  it("finds nothing wrong with a host that has everything", async () => {
    assert.deepEqual(await preflight(good), []);
  });

  it("tries each feature of the kernel in namespaces that end with the trial", async () => {
    const commands: string[] = [];
    await preflight({
      ...good,
      attempt: async (command, input) => {
        commands.push(command.join(" ") + input);
        return {};
      },
    });
    assert.equal(commands.length, 4);
    for (const command of commands) assert.match(command, /^unshare --(pid|net|mount) /);
    assert.match(commands.join("\n"), /type veth[^]*dnat ip to[^]*mount -t overlay/);
  });

  const cases: readonly (readonly [string, Partial<Host>, RegExp])[] = [
    ["another system", { platform: "darwin" }, /- this is darwin\n {2}.*use a Linux machine$/],
    ["another processor", { arch: "riscv64" }, /- the processor is riscv64\n/],
    ["no root", { userId: 1000 }, /- user 1000 is not root\n {2}run it as root/],
    [
      "missing tools",
      { hasTool: async (name) => name !== "nft" && name !== "ip" },
      /- ip is not on the path\n.*apt-get install iproute2\n- nft is not on the path\n.*apt-get install nftables$/,
    ],
    [
      "a kernel without a feature",
      {
        attempt: async (command) => (command.includes("nft") ? { error: "Operation not supported" } : {}),
      },
      /^The lab cannot run here:\n- the kernel does not give nftables with address translation: Operation not supported\n {2}it needs CONFIG_NF_TABLES_INET/,
    ],
  ];
  for (const [name, change, expected] of cases)
    it(`says what to do about ${name}`, async () => assert.match(await problemsOf(change), expected));

  it("tries no kernel features that it may not try or has no tools for", async () => {
    const attempt = () => Promise.reject(new Error("tried"));
    await preflight({ ...good, userId: 1000, attempt });
    await preflight({ ...good, hasTool: async () => false, attempt });
  });
});

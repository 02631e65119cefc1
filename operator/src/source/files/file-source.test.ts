import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { chmod, mkdir, mkdtemp, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { type Clock, silentLogger, systemClock } from "../../lib/index.ts";
import type { Change } from "../../store/index.ts";
import { createFileSource, type FileSource } from "./file-source.ts";
import { loadFiles } from "./load-files.ts";
import type { SourceProblem } from "./problem.ts";

const route = (name: string, path = "/", namespace = "team-a") => `apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: ${name}, namespace: ${namespace}}
spec:
  rules:
  - matches: [{path: {type: PathPrefix, value: ${path}}}]
`;
const config = (name: string, value = "1") => `apiVersion: v1
kind: ConfigMap
metadata: {name: ${name}}
data: {key: "${value}"}
`;

/** Lets time pass as always, but for delays that a test waits for: those end when it says so. */
function manualClock(): Clock & { readonly waited: (delayMs: number) => Promise<() => void> } {
  const held = new Map<number, () => void>();
  const asked = new Map<number, (action: () => void) => void>();
  return {
    after: (delayMs, action) => {
      if (delayMs < 1_000) return systemClock.after(delayMs, action);
      held.set(delayMs, action);
      asked.get(delayMs)?.(action);
      return () => held.delete(delayMs);
    },
    waited: (delayMs) =>
      new Promise((resolve) => {
        const action = held.get(delayMs);
        if (action === undefined) asked.set(delayMs, resolve);
        else resolve(action);
      }),
  };
}

function formatProblem({ severity, file, line, column, object, message }: SourceProblem): string {
  const place = [file, line, column].filter((part) => part !== undefined).join(":");
  return `${place}: ${severity}: ${object === undefined ? "" : `${object}: `}${message}`;
}

describe("createFileSource()", function () {
  this.timeout(20_000);
  let base: string;
  let folder: string;
  let source: FileSource | undefined;
  let objects: Map<string, NonNullable<Change["object"]>>;
  let problems: readonly SourceProblem[];
  let told: (() => void)[];
  let moves: number;

  const open = async (paths = [folder], watch = true, clock: Clock = systemClock) => {
    const opened = createFileSource({
      paths,
      clock,
      logger: silentLogger,
      watch,
      pollMs: 50,
      onChanges: (changes) => {
        for (const { kind, key, object } of changes) {
          if (object === undefined) objects.delete(`${kind} ${key}`);
          else objects.set(`${kind} ${key}`, object);
        }
        for (const listener of told) listener();
      },
      onMoved: () => {
        moves++;
        for (const listener of told) listener();
      },
      onProblems: (now) => {
        problems = now;
        for (const listener of told) listener();
      },
    });
    source = opened;
    await opened.start();
    return opened;
  };
  const put = async (name: string, text: string | Uint8Array) => {
    await writeFile(join(base, "writing"), text);
    await rename(join(base, "writing"), join(folder, name));
  };
  const until = (accept: () => boolean) =>
    new Promise<void>((resolve) => {
      const check = () => accept() && resolve();
      told.push(check);
      check();
    });
  const names = () => [...objects.keys()].toSorted();
  const generation = (name: string) => objects.get(name)?.metadata.generation;
  const texts = () => problems.map((problem) => formatProblem(problem).replace(`${folder}/`, ""));

  beforeEach(async () => {
    base = await mkdtemp(join(tmpdir(), "gatewright-files-"));
    folder = join(base, "manifests");
    await mkdir(folder);
    objects = new Map();
    problems = [];
    told = [];
    moves = 0;
  });

  afterEach(async () => {
    await source?.close();
    source = undefined;
    await rm(base, { recursive: true, force: true });
  });

  it("reads folders and those below, several documents a file, lists, and JSON; other kinds are nobody's business", async () => {
    await put("a.yaml", `# a comment\n---\n${route("one")}---\n${config("two")}---\n`);
    await mkdir(join(folder, "below"));
    await put(
      "below/b.yml",
      `apiVersion: v1\nkind: List\nitems:\n- ${config("three").trim().replaceAll("\n", "\n  ")}\n`,
    );
    await put("c.json", JSON.stringify({ apiVersion: "v1", kind: "Namespace", metadata: { name: "team-a" } }));
    await put("d.yaml", "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: x}\n");
    await put(".hidden.yaml", config("hidden"));
    await put("notes.txt", "no manifest");
    await open();
    assert.deepEqual(names(), [
      "ConfigMap default/three",
      "ConfigMap default/two",
      "HTTPRoute team-a/one",
      "Namespace team-a",
    ]);
    assert.deepEqual(texts(), []);
    assert.equal(objects.get("Namespace team-a")?.metadata.labels?.["kubernetes.io/metadata.name"], "team-a");
  });

  it("fills in defaults, and what the API server does with Secrets", async () => {
    await put("a.yaml", `${route("one")}---\napiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {a: hi}\n`);
    await open();
    const { spec } = objects.get("HTTPRoute team-a/one") as unknown as { spec: { rules: { matches: unknown[] }[] } };
    assert.deepEqual(spec.rules[0]?.matches, [{ path: { type: "PathPrefix", value: "/" } }]);
    const secret = objects.get("Secret default/s") as unknown as { data: Record<string, string> };
    assert.deepEqual(secret.data, { a: "aGk=" });
  });

  it("follows edits, new files and folders, renames and removals", async () => {
    await put("a.yaml", config("a"));
    await open();
    await put("b.yaml", config("b"));
    await until(() => objects.has("ConfigMap default/b"));
    await put("a.yaml", config("a", "2"));
    await until(() => generation("ConfigMap default/a") === 2);
    await rename(join(folder, "b.yaml"), join(folder, "c.yaml"));
    await rm(join(folder, "a.yaml"));
    await until(() => !objects.has("ConfigMap default/a"));
    assert.deepEqual(names(), ["ConfigMap default/b"]);
    await mkdir(join(folder, "new.d"));
    await put("new.d/e.yaml", config("e"));
    await until(() => objects.has("ConfigMap default/e"));
    await rm(join(folder, "new.d"), { recursive: true });
    await until(() => !objects.has("ConfigMap default/e"));
  });

  it("says when objects have moved and are the same", async () => {
    await put("a.yaml", `${config("x")}---\n${config("z")}`);
    const { place } = await open();
    assert.deepEqual(place("ConfigMap", "default/z")?.line, 6);
    await put("a.yaml", `# a comment\n${config("x")}---\n${config("z")}`);
    await until(() => moves === 1);
    assert.deepEqual(place("ConfigMap", "default/z")?.line, 7);
    assert.equal(generation("ConfigMap default/z"), 1);
  });

  it("raises the generation when content changes, not for annotations", async () => {
    await put("a.yaml", route("one"));
    await open();
    assert.equal(generation("HTTPRoute team-a/one"), 1);
    await put("a.yaml", route("one").replace("{name: one", "{annotations: {a: b}, name: one"));
    await until(() => objects.get("HTTPRoute team-a/one")?.metadata.annotations !== undefined);
    assert.equal(generation("HTTPRoute team-a/one"), 1);
    await put("a.yaml", route("one", "/x"));
    await until(() => generation("HTTPRoute team-a/one") === 2);
    await rm(join(folder, "a.yaml"));
    await until(() => !objects.has("HTTPRoute team-a/one"));
    await put("a.yaml", route("one"));
    await until(() => generation("HTTPRoute team-a/one") === 3);
  });

  it("takes nothing away while a file is half-written, takes what is whole in it, and says where it breaks", async () => {
    await put("a.yaml", `${route("one")}---\n${route("two")}`);
    await open();
    await put(
      "a.yaml",
      `${route("one", "/new")}---\n${route("three")}---\napiVersion: gateway.networking.k8s.io/v1\nkind: [HTTPRoute\n`,
    );
    await until(() => objects.has("HTTPRoute team-a/three"));
    assert.deepEqual(names(), ["HTTPRoute team-a/one", "HTTPRoute team-a/three", "HTTPRoute team-a/two"]);
    assert.equal(generation("HTTPRoute team-a/one"), 2);
    assert.match(texts().join("\n"), /^a\.yaml:1[5-7]:\d+: error: /);
    await put("a.yaml", route("one", "/new"));
    await until(() => objects.size === 1);
    assert.deepEqual(texts(), []);
  });

  it("refuses what the schema refuses, with file, line and field; the last good form stays", async () => {
    await put("a.yaml", `${config("x")}---\n${route("one")}`);
    await open();
    await put("a.yaml", `${config("x")}---\n${route("one").replace("PathPrefix", "Suffix")}`);
    await until(() => problems.length > 0);
    assert.match(
      texts()[0] ?? "",
      /^a\.yaml:11: error: HTTPRoute team-a\/one: spec\.rules\[0\]\.matches\[0\]\.path\.type: Unsupported value: "Suffix": supported values: .*last good form stays/,
    );
    assert.equal(problems[0]?.field, "spec.rules[0].matches[0].path.type");
    assert.equal(generation("HTTPRoute team-a/one"), 1);
  });

  it("names unknown fields, unknown kinds of our groups, and what is no object at all", async () => {
    await put("a.yaml", route("one").replace("  rules:", "  hostname: a\n  rules:"));
    await put("b.yaml", route("one").replace("HTTPRoute", "HttpRoute"));
    await put("c.yaml", "just: text\n");
    await put("d.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: Big}\n");
    await put("e.yaml", "- 1\n");
    await put("f.yaml", route("two").replace("/v1", "/v1alpha1"));
    await put("g.yaml", route("three").replace("/v1", "/v1beta1"));
    await open();
    assert.deepEqual(names(), ["HTTPRoute team-a/three"]);
    const all = texts().join("\n");
    assert.match(all, /a\.yaml:5: error: HTTPRoute team-a\/one: unknown field "spec\.hostname"/);
    assert.match(all, /b\.yaml:2: error: HttpRoute team-a\/one: gateway\.networking\.k8s\.io has no kind HttpRoute/);
    assert.match(all, /c\.yaml:1: error: this is not a Kubernetes object: apiVersion is missing/);
    assert.match(all, /d\.yaml:3: error: ConfigMap Big: metadata\.name: Invalid value: "Big"/);
    assert.match(all, /e\.yaml:1: error: this is not a Kubernetes object/);
    assert.match(
      all,
      /f\.yaml:1: error: HTTPRoute team-a\/two: no matches for kind "HTTPRoute" in version "gateway.networking.k8s.io\/v1alpha1" \(there is v1, v1beta1\)/,
    );
  });

  it("lets the first of two with one name count, says so, and heals when one goes", async () => {
    await put("a.yaml", config("x", "a"));
    await put("b.yaml", `---\n${config("x", "b")}`);
    await open();
    assert.match(
      texts()[0] ?? "",
      /^b\.yaml:2: error: ConfigMap default\/x: this object is also in .*a\.yaml:1, which counts$/,
    );
    await rm(join(folder, "a.yaml"));
    await until(
      () =>
        (objects.get("ConfigMap default/x") as unknown as { data: { key: string } }).data.key === "b" &&
        problems.length === 0,
    );
  });

  it("sees a mounted folder being swapped", async () => {
    await mkdir(join(folder, "..1"));
    await mkdir(join(folder, "..2"));
    await writeFile(join(folder, "..1", "a.yaml"), config("x", "1"));
    await writeFile(join(folder, "..2", "a.yaml"), config("x", "2"));
    await symlink("..1", join(folder, "..data"));
    await symlink(join("..data", "a.yaml"), join(folder, "a.yaml"));
    await open();
    assert.equal(generation("ConfigMap default/x"), 1);
    await symlink("..2", join(folder, "..data_tmp"));
    await rename(join(folder, "..data_tmp"), join(folder, "..data"));
    await until(() => generation("ConfigMap default/x") === 2);
  });

  it("says that a folder is gone, and takes it up again when it is back", async () => {
    await put("a.yaml", config("x"));
    await open();
    await rm(folder, { recursive: true });
    await until(() => objects.size === 0 && problems.length === 1);
    assert.match(problems[0]?.message ?? "", /no such file or folder/);
    await mkdir(folder);
    await put("a.yaml", config("z"));
    await until(() => objects.has("ConfigMap default/z") && problems.length === 0);
  });

  it("watches a folder that has taken the place of another in a moment", async () => {
    await mkdir(join(folder, "a.d"));
    await put("a.d/a.yaml", config("x"));
    await open();
    for (let times = 1; times <= 5; times++) {
      rmSync(join(folder, "a.d"), { recursive: true });
      mkdirSync(join(folder, "a.d"));
      await until(() => !objects.has(`ConfigMap default/${times === 1 ? "x" : `x${times - 1}`}`));
      await put("a.d/a.yaml", config(`x${times}`));
      await until(() => objects.has(`ConfigMap default/x${times}`));
    }
  });

  it("finds what is put at once into a given folder that was made anew, and into those above", async () => {
    await open();
    for (const times of ["1", "2", "3"]) {
      rmSync(base, { recursive: true });
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, "a.yaml"), config(`x${times}`));
      await until(() => objects.has(`ConfigMap default/x${times}`));
      await put("a.yaml", config(`z${times}`));
      await until(() => objects.has(`ConfigMap default/z${times}`));
    }
  });

  it("keeps what a file held while it is emptied and filled again, and lets it go when it stays empty", async () => {
    const clock = manualClock();
    await put("a.yaml", `${config("x")}---\n${config("z")}`);
    await open([folder], true, clock);
    const seen: string[] = [];
    told.push(() => seen.push(names().join(" ")));
    writeFileSync(join(folder, "a.yaml"), "");
    await clock.waited(1_000);
    writeFileSync(join(folder, "a.yaml"), `${config("x", "2")}---\n${config("z", "2")}`);
    await until(() => generation("ConfigMap default/z") === 2);
    assert.deepEqual(new Set(seen), new Set(["ConfigMap default/x ConfigMap default/z"]));
    writeFileSync(join(folder, "a.yaml"), "");
    (await clock.waited(1_000))();
    await until(() => objects.size === 0);
  });

  it("reads no pipes, wherever they stand", async () => {
    execFileSync("mkfifo", [join(folder, "pipe.yaml"), join(base, "given.yaml")]);
    await put("a.yaml", config("x"));
    await open([folder, join(base, "given.yaml")]);
    assert.deepEqual(names(), ["ConfigMap default/x"]);
    assert.match(texts().join(), /given\.yaml: error: this is neither a file nor a folder$/);
    execFileSync("mkfifo", [join(folder, "later.yaml")]);
    await put("b.yaml", config("z"));
    await until(() => objects.has("ConfigMap default/z"));
  });

  it("tells the first hundred problems of a file and counts the rest, and looks at those when the first are mended", async () => {
    const wrong = (count: number) => Array.from({ length: count }, (_, index) => `---\na${index}: [\n`).join("");
    await put("a.yaml", wrong(150) + `---\n${config("x")}`);
    await open();
    assert.deepEqual(names(), ["ConfigMap default/x"]);
    assert.equal(problems.length, 101);
    assert.equal(texts().at(-1), "a.yaml: error: … and 50 more problems in this file");
    await put("a.yaml", `---\n${config("x")}${wrong(150).replace(/^(---\n.*\n){60}/, "")}`);
    await until(() => problems.length === 90);
    assert.equal(texts().at(-1), "a.yaml:185:7: error: the [ that opens here is not closed");
  });

  it("does not read more documents of a file than anybody writes, and says so", async () => {
    await put("a.yaml", `---\n${config("x")}${"---\n1\n".repeat(100_000)}`);
    await open();
    assert.match(
      texts()[0] ?? "",
      /a\.yaml: error: the file has 100001 documents: those after the first 100000 are not read/,
    );
    assert.deepEqual(names(), ["ConfigMap default/x"]);
  });

  it("does not run in circles, and reads a single file", async () => {
    await symlink(folder, join(folder, "loop"));
    await put("a.yaml", config("x"));
    await put("b.yaml", config("z"));
    await open([join(folder, "a.yaml")]);
    assert.deepEqual(names(), ["ConfigMap default/x"]);
    await source?.close();
    await open([folder]);
    assert.deepEqual(names(), ["ConfigMap default/x", "ConfigMap default/z"]);
  });

  it("says what it may not read", async function () {
    if (process.getuid?.() === 0) {
      // The superuser reads everything: a folder with the name of a file stands for it.
      await mkdir(join(folder, "a.yaml"));
      await put("a.yaml/b.yaml", config("x"));
      await open();
      assert.deepEqual(names(), ["ConfigMap default/x"]);
      return;
    }
    await put("a.yaml", config("x"));
    await chmod(join(folder, "a.yaml"), 0);
    await open();
    assert.match(texts()[0] ?? "", /^a\.yaml: error: EACCES/);
  });

  const hostile: readonly [string, string | Uint8Array, RegExp][] = [
    [
      "aliases that explode",
      `a: &a [x,x,x,x,x,x,x,x,x]\n${"bcdefghij"
        .split("")
        .map((name, i) => `${name}: &${name} [${Array(9).fill(`*${"abcdefghi"[i]}`).join(",")}]`)
        .join("\n")}\n`,
      /alias/i,
    ],
    ["deep nesting", `a: ${"[".repeat(100_000)}`, /nested more than/],
    ["deep nesting in blocks", "- ".repeat(100_000), /nested more than/],
    ["a document of five megabytes", `a: "${"x".repeat(5 * 1024 * 1024)}"`, /larger than 4 MiB/],
    ["a file that is no text", new Uint8Array([0xff, 0xfe, 0x00, 0x41]), /save it as UTF-8/],
    [
      "one key twice",
      "apiVersion: v1\nkind: ConfigMap\nkind: Secret\nmetadata: {name: x}\n",
      /the key kind is there twice, first in line 2/,
    ],
    ["tabs", "apiVersion: v1\n\tkind: ConfigMap\n", /tab/i],
  ];
  for (const [what, content, says] of hostile) {
    it(`says what is wrong with ${what}, and reads the rest`, async () => {
      await put("bad.yaml", content);
      await put("good.yaml", config("good"));
      await open([folder], false);
      assert.match(texts().join("\n"), says);
      assert.deepEqual(names(), ["ConfigMap default/good"]);
    });
  }

  it("reads a byte order mark and Windows line ends", async () => {
    await put("a.yaml", `\uFEFF${`${config("x")}---\n${config("z")}`.replaceAll("\n", "\r\n")}`);
    await open();
    assert.deepEqual([names(), texts()], [["ConfigMap default/x", "ConfigMap default/z"], []]);
  });

  it("comes to what a fresh reading finds, whatever happened to the folder", async () => {
    const name = fc.constantFrom("a.yaml", "b.yaml", "sub/c.yaml");
    const content = fc.constantFrom(
      config("x"),
      config("x", "2"),
      route("r"),
      `${config("x")}---\n${route("r", "/z")}`,
      `${route("s")}---\n${config("z")}`,
      "",
    );
    const edit = fc.oneof(
      fc.record({ action: fc.constant("write" as const), name, content }),
      fc.record({ action: fc.constant("remove" as const), name, content: fc.constant("") }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(edit, { minLength: 1, maxLength: 12 }), async (edits) => {
        await rm(folder, { recursive: true });
        await mkdir(join(folder, "sub"), { recursive: true });
        objects = new Map();
        const opened = await open([folder], false);
        for (const { action, name: file, content: text } of edits) {
          if (action === "write") await put(file, text);
          else await rm(join(folder, file), { force: true });
          await opened.reload();
        }
        await opened.close();
        const fresh = await loadFiles([folder]);
        const plain = (object: NonNullable<Change["object"]>) => ({
          ...object,
          metadata: { ...object.metadata, generation: undefined },
        });
        assert.deepEqual(
          new Map([...objects].map(([key, object]) => [key, plain(object)])),
          new Map(fresh.changes.map(({ kind, key, object }) => [`${kind} ${key}`, object && plain(object)])),
        );
      }),
      { numRuns: 40 },
    );
  });
});

import assert from "node:assert/strict";
import { buildApitypes, readModel } from "./apitypes.ts";
import { emitApi, emitCrds } from "./emit.ts";
import type { Field, Model } from "./model.ts";
import { type ModuleRequest, type Request, request } from "./modules.ts";

const meta: ModuleRequest = {
  name: "meta/v1",
  package: "k8s.io/apimachinery/pkg/apis/meta/v1",
  roots: ["ObjectMeta", "ListMeta"],
  source: "kubernetes",
  kinds: false,
};

/** Asks for one of the packages in crd-types/go/testdata. */
const fixture = (name: string): Request => ({
  modules: [
    meta,
    { name: `${name}/v1`, package: `gatewright.dev/crd-types/testdata/${name}/v1`, source: "gatewright", kinds: true },
  ],
  scalars: "meta/v1",
});

const problemsOf = async (name: string): Promise<readonly string[]> => {
  try {
    await readModel(fixture(name));
  } catch (error) {
    if (error instanceof Error) return error.message.split("\n");
    throw error;
  }
  assert.fail(`${name} was taken`);
};

describe("apitypes", function () {
  this.timeout(300_000);
  before(() => buildApitypes(() => {}));

  describe("faults in Go sources", () => {
    it("names every marker without effect, with file and line", async () => {
      const file = "crd-types/go/testdata/markers/v1/types.go";
      assert.deepEqual(await problemsOf("markers"), [
        `${file}:10:2: unknown marker +kubebuilder:validation:MaxItem`,
        `${file}:14:2: marker +kubebuilder:printcolumn:name has no effect on a field: it belongs to a type`,
        `${file}:17:22: marker +optional has no effect behind what it describes: it belongs to a field`,
        `${file}:19:2: unknown marker +`,
        `${file}:23:2: expected integer, got "many" (at <input>:1:1)`,
        `${file}:26:2: marker +optional has no effect away from any field: it belongs to a field`,
        `${file}:31:1: marker +kubebuilder:object:root has no effect on a function: it belongs to a package or a type`,
        `${file}:4:1: marker +kubebuilder:validation:MinLength has no effect on a package: it belongs to a type or a field`,
      ]);
    });

    it("names every tag of the Gateway API that does nothing", async () => {
      const file = "crd-types/go/testdata/tags/v1/types.go";
      const rest = "a tag of the Gateway API stands alone on its line";
      assert.deepEqual(await problemsOf("tags"), [
        `${file}:16:2: unknown or misplaced tag <gateway:experimantal>: ${rest}`,
        `${file}:19:2: unknown or misplaced tag <gateway:beta:validation:MaxItems=3>: ${rest}`,
        `${file}:22:2: unknown or misplaced tag <gateway:experimental>: ${rest}`,
      ]);
    });

    it("names every type without a known form in JSON", async () => {
      const file = "crd-types/go/testdata/types/v1/types.go";
      assert.deepEqual(await problemsOf("types"), [
        `${file}:13:2: field Untagged of Thing has no JSON tag`,
        `${file}:14:2: a map with keys of type int has no form in JSON`,
        `${file}:15:2: net/netip.AddrPort is in a package that has no module`,
        `${file}:17:2: type struct{} is not known here`,
        `${file}:21:6: Shy has a JSON form of its own, which is not known here`,
      ]);
    });

    it("says when a package or a type is not there", async () => {
      const missing: ModuleRequest = { ...meta, package: "gatewright.dev/crd-types/nowhere" };
      await assert.rejects(
        readModel({ modules: [missing], scalars: "meta/v1" }),
        /gatewright\.dev\/crd-types\/nowhere/,
      );
      const noType: ModuleRequest = { ...meta, roots: ["Nothing"] };
      await assert.rejects(readModel({ modules: [noType], scalars: "meta/v1" }), /has no type Nothing/);
    });
  });

  describe("a kind with one field of each sort", () => {
    let model: Model;
    before(async () => {
      model = await readModel(fixture("widgets"));
    });

    const typeOf = (name: string) => {
      const found = model.modules
        .find((module) => module.name === "widgets/v1")
        ?.types.find((type) => type.name === name);
      return found ?? assert.fail(`there is no type ${name}`);
    };
    const fieldOf = (name: string): Field =>
      typeOf("WidgetSpec").struct?.fields.find((field) => field.name === name) ??
      assert.fail(`there is no field ${name}`);

    it("is in the table of kinds", () => {
      assert.deepEqual(model.kinds, [
        {
          kind: "Widget",
          group: "widgets.example.com",
          version: "v1",
          module: "widgets/v1",
          plural: "widgets",
          singular: "widget",
          listKind: "WidgetList",
          shortNames: ["wg"],
          categories: [],
          namespaced: false,
          hasStatus: true,
          source: "gatewright",
          versions: [{ name: "v1", module: "widgets/v1", served: true, storage: true, deprecated: false }],
        },
      ]);
    });

    it("says by markers first and by JSON tags last what may be missing", () => {
      assert.equal(fieldOf("size").optional, false, "required, though omitempty");
      assert.equal(fieldOf("parts").optional, true, "optional, though not omitempty");
      assert.equal(fieldOf("since").optional, true, "omitzero");
      assert.equal(fieldOf("port").optional, false);
    });

    it("has types by their form in JSON", () => {
      assert.deepEqual(fieldOf("port").type, { kind: "named", module: "meta/v1", name: "IntOrString" });
      assert.deepEqual(fieldOf("data").type, { kind: "map", elem: { kind: "bytes" } });
      assert.deepEqual(fieldOf("code").type, { kind: "literals", values: [301, 302] });
      assert.equal(typeOf("Part").struct?.open, true);
    });

    it("tells enums that are closed from those with well-known values", () => {
      assert.deepEqual(typeOf("Color").enum, { base: "string", values: ["red", "green"], open: false });
      assert.deepEqual(typeOf("Reason").enum, { base: "string", values: ["Fine"], open: true });
    });

    it("has defaults, list keys and constants", () => {
      assert.equal(fieldOf("color").default, "red");
      assert.deepEqual(fieldOf("parts").listMapKeys, ["name"]);
      assert.deepEqual(model.modules.find((module) => module.name === "widgets/v1")?.constants, [
        { name: "ColorRed", doc: "ColorRed is like blood.", value: "red" },
        { name: "ColorGreen", doc: "like grass", value: "green" },
        { name: "ReasonFine", doc: "ReasonFine says that all is well.", value: "Fine" },
        { name: "MaxParts", doc: "MaxParts is a number without a type.", value: 16 },
      ]);
    });

    it("has a comment that stays a comment", () => {
      const text = emitApi(model).get("widgets/v1.ts") ?? "";
      assert.ok(
        text.includes("/** Widget is hostile: *\\/ globalThis.pwned = true; /* and `${globalThis}`. */\n"),
        text,
      );
    });

    it("has a CRD", () => {
      assert.equal(model.crds.length, 1);
      assert.match([...emitCrds(model).values()].join(""), /^ {2}name: widgets\.widgets\.example\.com$/m);
    });
  });

  it("gives the same bytes each time", async () => {
    const render = (model: Model) => JSON.stringify([...emitApi(model), ...emitCrds(model)]);
    const [first, second] = [await readModel(request), await readModel(request)];
    assert.equal(render(first), render(second));
  });
});

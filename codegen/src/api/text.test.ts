import assert from "node:assert/strict";
import fc from "fast-check";
import { Project, SyntaxKind } from "ts-morph";
import { docComment, literal, propertyName } from "./text.ts";

describe("docComment()", () => {
  it("puts one line on one line and more into a block", () => {
    assert.equal(docComment("One line."), "/** One line. */\n");
    assert.equal(
      docComment("First.\n\nSecond.", "  ", ["@experimental"]),
      "  /**\n   * First.\n   *\n   * Second.\n   * @experimental\n   */\n",
    );
  });

  it("says nothing where there is nothing to say", () => {
    assert.equal(docComment("  \n"), "");
    assert.equal(docComment("", "", ["@experimental"]), "/** @experimental */\n");
  });

  it("takes Go's way to call something deprecated for TSDoc's", () => {
    assert.match(docComment("Deprecated: use the other.\nIt is better."), /^ \* @deprecated use the other\.$/m);
  });

  it("takes tags in foreign text for text", () => {
    assert.equal(docComment("@internal"), "/** \\@internal */\n");
    assert.equal(docComment("See {@link x}."), "/** See {\\@link x}. */\n");
  });

  it("is one comment and nothing else, whatever the text", () => {
    const project = new Project({ useInMemoryFileSystem: true, skipLoadingLibFiles: true });
    const hostile = fc.array(
      fc.oneof(
        fc.constantFrom(
          "*/",
          "/*",
          "*",
          "/",
          "\u2028",
          "\u2029",
          "\r",
          "\n",
          "\u0000",
          "`",
          "${x}",
          "@",
          "\\",
          "evil()",
        ),
        fc.string(),
      ),
    );
    fc.assert(
      fc.property(hostile, hostile, (text, tag) => {
        const comment = docComment(text.join(""), "", tag.length === 0 ? [] : [tag.join("")]);
        const source = project.createSourceFile("/a.ts", `${comment}export const a = 1;\n`, { overwrite: true });
        const statements = source.getStatements();
        assert.equal(statements.length, 1);
        assert.ok(statements[0]?.isKind(SyntaxKind.VariableStatement));
        assert.equal(statements[0].getText(), "export const a = 1;");
      }),
    );
  });
});

describe("literal()", () => {
  it("gives back the same value, whatever the string", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const written = literal(text);
        assert.doesNotMatch(written, /[\u2028\u2029\n]/);
        assert.equal(JSON.parse(written), text);
      }),
    );
  });
});

describe("propertyName()", () => {
  it("quotes what is no identifier", () => {
    assert.equal(propertyName("name"), "name");
    assert.equal(propertyName("$ref"), "$ref");
    assert.equal(propertyName("@type"), '"@type"');
    assert.equal(propertyName("x-kubernetes"), '"x-kubernetes"');
    assert.equal(propertyName(""), '""');
  });
});

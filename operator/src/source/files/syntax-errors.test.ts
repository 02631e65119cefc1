import assert from "node:assert/strict";
import { readContent } from "./file-content.ts";

const head = "apiVersion: v1\nkind: Service\nmetadata:\n  name: a\n  namespace: b\nspec:\n";

/** What is said first of a text. */
function saidOf(text: string | Uint8Array): string {
  const { problems, documents } = readContent("a.yaml", Buffer.from(text));
  const [first] = [
    ...problems,
    ...documents.flatMap(({ linesBefore, reading }) =>
      reading.problems.map((problem) => ({ ...problem, line: linesBefore + problem.line })),
    ),
  ];
  if (first === undefined) return "nothing";
  const place = [first.line, first.column].filter((part) => part !== undefined).join(":");
  return `${place} ${first.object === undefined ? "" : `${first.object}: `}${first.message}`;
}

const mistakes: Readonly<Record<string, readonly [text: string, said: string]>> = {
  "a tab": [`${head}\tports:\n`, "7:1 Service b/a: a tab indents this line: YAML takes only spaces"],
  "a tab after spaces": [
    `${head}  ports:\n \t- port: 80\n`,
    "8:2 Service b/a: a tab indents this line: YAML takes only spaces",
  ],
  "no colon": [`${head}  ports\n  - port: 80\n`, '7:3 Service b/a: a colon is missing after "ports"'],
  "no colon before a value": [
    "apiVersion: v1\nkind Service\nmetadata:\n  name: a\n",
    '2:1 a colon is missing after "kind"',
  ],
  "no space after a colon": [
    "apiVersion: v1\nkind:Service\nmetadata:\n  name: a\n",
    '2:1 Service a: a space is missing after "kind:"',
  ],
  "no space after a colon, in a list": [
    `${head}  ports:\n  - port:80\n    name: http\n`,
    '8:5 Service b/a: a space is missing after "port:"',
  ],
  "no space after a colon, alone": [
    `${head}  ports:\n  - port:80\n`,
    '8 Service b/a: spec.ports[0]: Invalid value: "string": spec.ports[0] in body must be of type object: "string" (a space is missing after "port:")',
  ],
  "no space after a dash": [
    `${head}  ports:\n  -port: 80\n`,
    '8 Service b/a: unknown field "spec.-port" (a space is missing after the dash)',
  ],
  "an open double quote": [
    `${head}  ports:\n  - name: "http\n    port: 80\n`,
    '8:11 Service b/a: the " that opens here is not closed',
  ],
  "an open single quote": [
    `${head}  ports:\n  - name: 'http\n    port: 80\n`,
    "8:11 Service b/a: the ' that opens here is not closed",
  ],
  "an open quote and another later": [
    `${head}  externalName: "a\n  ports:\n  - name: "b"\n`,
    '7:17 Service b/a: the " that opens here is not closed',
  ],
  "an open bracket": [
    `${head}  ports: [{port: 80}\n  type: ClusterIP\n`,
    "7:10 Service b/a: the [ that opens here is not closed",
  ],
  "an open brace": [
    `${head}  ports:\n  - {port: 80, name: x\n  - {port: 81}\n`,
    "8:5 Service b/a: the { that opens here is not closed",
  ],
  "an open brace at the end": [`${head}  selector: {app: x\n`, "7:13 Service b/a: the { that opens here is not closed"],
  "an open brace in a bracket": [
    `${head}  ports: [{port: 80]\n`,
    "7:11 Service b/a: the { that opens here is not closed",
  ],
  "a bracket too many": [`${head}  ports: [{port: 80}]]\n`, "7:22 Service b/a: this ] closes nothing"],
  "a key twice": [`${head}  type: A\n  type: B\n`, "8:3 Service b/a: the key type is there twice, first in line 7"],
  "an item of a list too far left": [
    `${head}  ports:\n  - port: 80\n - port: 81\n`,
    "9:2 Service b/a: this item of a list begins in column 2, and the one before it in column 3",
  ],
  "a key too far right": [
    `${head}  type: A\n   ports: []\n`,
    "8:4 Service b/a: this line begins in column 4, which fits none of the lines above: the one before it begins in column 3",
  ],
  "a key too far left": [
    `${head}    type: A\n  ports: []\n`,
    "8:3 Service b/a: this line begins in column 3, which fits none of the lines above: the one before it begins in column 5",
  ],
  "an anchor that is not there": [
    `${head}  ports: *none\n`,
    "7:10 Service b/a: there is no &none before this that *none could stand for; a text that begins with * must be in quotes",
  ],
  "a wildcard without quotes": [
    "spec:\n  hostnames: [*.example.com]\n",
    '2:15 a value that begins with * must be in quotes: "*.example.com"',
  ],
  "a mark that is glued to what follows": [
    `${head}  type: A\n---apiVersion: v1\nkind: Service\n`,
    "8:1 Service b/a: `---` must stand on a line of its own",
  ],
  "a mark that is indented": [
    `${head}  type: A\n ---\napiVersion: v1\n`,
    "8:1 Service b/a: `---` must begin in the first column",
  ],
  "a no-break space": [
    `${head}  type:\u00a0A\n  ports: []\n`,
    "7:8 Service b/a: this is a no-break space, U+00A0: YAML takes only plain spaces",
  ],
  "typographic quotes": [
    `${head}  type: \u201cClusterIP\u201d\n  ports: [{port: 80}]\n`,
    '7 Service b/a: spec.type: Unsupported value: "\u201cClusterIP\u201d": supported values: "ClusterIP", "ExternalName", "LoadBalancer", "NodePort" (\u201c is no quote to YAML: it takes " and \')',
  ],
  "a reserved character": [
    `${head}  externalName: @home\n`,
    "7:17 Service b/a: a value that begins with @ must be in quotes",
  ],
  "a colon in a value": [
    `${head}  externalName: a: b\n`,
    "7:17 Service b/a: a value with a colon and a space in it must be in quotes",
  ],
  "a template": ["a: {{ .Values.x }}\n", "1:1 this is a template, not YAML: render it first (as `helm template` does)"],
  "a merge conflict": ["<<<<<<< HEAD\na: 1\n=======\na: 2\n>>>>>>> b\n", "1:1 a merge conflict was left in the file"],
  "an escape that does not exist": [
    'a: "\\d+"\n',
    "1:6 a backslash in double quotes must be doubled, or the quotes be single ones",
  ],
  "a comma that is missing": [
    '{"apiVersion": "v1",\n "kind": "Service"\n "metadata": {}}\n',
    "3:2 a comma is missing before this",
  ],
  "more after the end": [
    "a: 1\n...\nb: 2\n",
    "2:1 `...` ends the document, and something follows: begin the next one with `---`",
  ],
  "a boolean that was meant as text": [
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  flag: yes\n",
    '5 ConfigMap a: data.flag: Invalid value: "boolean": data.flag in body must be of type string: "boolean" (without quotes, yes is a boolean: put it in quotes)',
  ],
};

describe("what is said of a mistake in YAML", () => {
  for (const [name, [text, said]] of Object.entries(mistakes)) it(name, () => assert.equal(saidOf(text), said));

  it("letters of Windows", () =>
    assert.equal(
      saidOf(Buffer.concat([Buffer.from("a: é\nb: Stra"), Buffer.of(0xdf), Buffer.from("e\n")])),
      "2 the file is not UTF-8: byte 0xdf would be ß in Windows-1252; save it as UTF-8",
    ));

  it("UTF-16", () =>
    assert.equal(saidOf(Buffer.from("\ufeffa: 1\n", "utf16le")), " the file is UTF-16: save it as UTF-8"));
});

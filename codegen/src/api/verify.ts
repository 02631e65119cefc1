import path from "node:path/posix";
import { type InterfaceDeclaration, type Node, Project, type SourceFile, SyntaxKind, ts } from "ts-morph";
import type { Kind } from "./model.ts";

/** Reads back what was written and says, as `[file:line]: problem`, what is not as it must be. */
export const verifyApi = (files: ReadonlyMap<string, string>, kinds: readonly Kind[]): readonly string[] => {
  const project = new Project({ useInMemoryFileSystem: true, skipLoadingLibFiles: true });
  const sources = new Map([...files].map(([file, text]) => [file, project.createSourceFile(`/${file}`, text)]));
  const problems: string[] = [];
  const report = (node: Node, problem: string) => {
    problems.push(`[${node.getSourceFile().getFilePath().slice(1)}:${node.getStartLineNumber()}]: ${problem}`);
  };

  for (const diagnostic of project.getProgram().getSyntacticDiagnostics()) {
    const file = diagnostic.getSourceFile().getFilePath().slice(1);
    const text = ts.flattenDiagnosticMessageText(diagnostic.compilerObject.messageText, " ");
    problems.push(`[${file}:${diagnostic.getLineNumber()}]: ${text}`);
  }
  if (problems.length > 0) return problems;

  const exported = new Map([...sources].map(([file, source]) => [file, exportedNames(source, report)]));
  for (const source of sources.values()) {
    verifyReferences(source, exported, report);
    verifyReadonly(source, report);
  }
  verifyKinds(sources, kinds, report, (problem) => problems.push(problem));
  return problems;
};

type Report = (node: Node, problem: string) => void;

const exportedNames = (source: SourceFile, report: Report): ReadonlySet<string> => {
  const types = new Set<string>();
  const values = new Set<string>();
  const add = (names: Set<string>, name: string, node: Node) => {
    if (names.has(name)) report(node, `${name} is declared twice`);
    names.add(name);
  };
  for (const statement of source.getInterfaces()) add(types, statement.getName(), statement);
  for (const statement of source.getTypeAliases()) add(types, statement.getName(), statement);
  for (const statement of source.getVariableDeclarations()) add(values, statement.getName(), statement);
  return types;
};

/** Every import leads to a file that was written, and every type that is named there is exported there. */
const verifyReferences = (
  source: SourceFile,
  exported: ReadonlyMap<string, ReadonlySet<string>>,
  report: Report,
): void => {
  const folder = path.dirname(source.getFilePath());
  const targets = new Map<string, ReadonlySet<string>>();
  for (const declaration of source.getImportDeclarations()) {
    const specifier = declaration.getModuleSpecifierValue();
    const file = path.join(folder, specifier).slice(1);
    const names = exported.get(file) ?? handWritten.get(specifier);
    if (names === undefined) {
      report(declaration, `${file} is imported but was not written`);
      continue;
    }
    const namespace = declaration.getNamespaceImport();
    if (namespace !== undefined) targets.set(namespace.getText(), names);
    for (const named of declaration.getNamedImports()) {
      if (!names.has(named.getName())) report(named, `${file} has no ${named.getName()}`);
    }
  }
  const own = exported.get(source.getFilePath().slice(1));
  const imported = new Set(
    source.getImportDeclarations().flatMap((line) => line.getNamedImports().map((name) => name.getName())),
  );
  source.forEachDescendant((node) => {
    if (node.isKind(SyntaxKind.QualifiedName)) {
      const [namespace, name] = [node.getLeft().getText(), node.getRight().getText()];
      if (targets.get(namespace)?.has(name) !== true) report(node, `${namespace}.${name} is not exported`);
    } else if (node.isKind(SyntaxKind.TypeReference) && !node.getTypeName().isKind(SyntaxKind.QualifiedName)) {
      const name = node.getTypeName().getText();
      if (own?.has(name) !== true && !imported.has(name) && !builtIn.has(name) && !isParameter(node, name)) {
        report(node, `${name} is not declared`);
      }
    }
  });
};

/** What stands beside the generated files, by the way there from their folder. The compiler sees to it that it is there. */
const handWritten: ReadonlyMap<string, ReadonlySet<string>> = new Map([["../../schema/index.ts", new Set(["Schema"])]]);

const builtIn = new Set(["Extract", "const"]);

const isParameter = (node: Node, name: string) =>
  node
    .getAncestors()
    .some((ancestor) => ancestor.isKind(SyntaxKind.MappedType) && ancestor.getTypeParameter().getName() === name);

/** Nothing is `any`, and nothing that is read can be written. */
const verifyReadonly = (source: SourceFile, report: Report): void => {
  source.forEachDescendant((node) => {
    if (node.isKind(SyntaxKind.AnyKeyword)) report(node, "any says nothing");
    if (node.isKind(SyntaxKind.PropertySignature) && !node.isReadonly())
      report(node, `${node.getName()} is not readonly`);
    if (node.isKind(SyntaxKind.IndexSignature) && !node.isReadonly())
      report(node, "an index signature is not readonly");
    if (node.isKind(SyntaxKind.ArrayType) && !isReadonlyOperand(node)) report(node, "an array is not readonly");
  });
};

const isReadonlyOperand = (node: Node) => {
  const parent = node.getParent();
  return parent?.isKind(SyntaxKind.TypeOperator) === true && parent.getOperator() === SyntaxKind.ReadonlyKeyword;
};

/** Each kind of the table has an id of its own, and an interface that says which kind it is. */
const verifyKinds = (
  sources: ReadonlyMap<string, SourceFile>,
  kinds: readonly Kind[],
  report: Report,
  fail: (problem: string) => void,
): void => {
  const seen = new Map<string, Kind>();
  for (const kind of kinds) {
    const other = seen.get(kind.kind);
    if (other !== undefined) {
      fail(
        `[kinds.ts]: ${kind.kind} is a kind of the groups ${other.group || "core"} and ${kind.group || "core"}, so it cannot be its id`,
      );
    }
    seen.set(kind.kind, kind);
    for (const version of kind.versions) {
      const file = `${version.module}.ts`;
      const declaration = sources.get(file)?.getInterface(kind.kind);
      if (declaration === undefined) {
        fail(`[${file}]: the kind ${kind.kind} has no interface`);
        continue;
      }
      const apiVersion = kind.group === "" ? version.name : `${kind.group}/${version.name}`;
      verifyLiteral(declaration, "apiVersion", apiVersion, report);
      verifyLiteral(declaration, "kind", kind.kind, report);
      if (declaration.getProperty("metadata")?.hasQuestionToken() !== false)
        report(declaration, "metadata may be missing");
    }
  }
};

const verifyLiteral = (declaration: InterfaceDeclaration, property: string, value: string, report: Report): void => {
  const type = declaration.getProperty(property)?.getTypeNode()?.getText();
  if (type !== JSON.stringify(value))
    report(declaration, `${property} is ${type ?? "missing"}, not ${JSON.stringify(value)}`);
};

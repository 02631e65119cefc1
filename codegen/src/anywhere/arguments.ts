import { parseArgs } from "node:util";

export const help = `Usage: gatewright-codegen from-go MODULE@VERSION|DIR [--packages PATTERN]... --out DIR
       gatewright-codegen from-crds FILE|DIR... --out DIR

Writes TypeScript for the kinds of Go API types with kubebuilder markers, or of CustomResourceDefinitions in YAML: types,
the CRDs, validators, and an index of them.

  from-go MODULE@VERSION   a Go module, fetched by Go, for example github.com/fluxcd/source-controller/api@v1.10.1
  from-go DIR              a Go module in a folder, or a folder of one
  from-crds FILE|DIR       CRDs as YAML or JSON; of folders, every .yaml, .yml and .json below them

  --out DIR                where to write; what an earlier run wrote there and this one does not is removed
  --packages PATTERN       Go packages to read, as for go list (default ./...); may be repeated
  --constructs             a cdk8s construct for each kind as well
  --import-extension EXT   how the files import each other: js (default), or ts for those who run TypeScript unbuilt
  --markers error|warn     what unknown and misplaced markers are: errors in a DIR, warnings in a MODULE@VERSION by default
  --check                  write nothing; fail where a file is not as it would be written
  --force                  do the work even if nothing has changed since the last run
  --quiet                  no progress
  --help                   show this
  --version                show the version

Exit codes: 0 all is written (with --check: all is as it would be written), 1 faults in what was read (with --check: a file
differs), 2 it could not run.
`;

/** What a run is asked to do. */
export type Arguments = {
  readonly source: GoSource | CrdSource;
  readonly out: string;
  readonly constructs: boolean;
  readonly extension: "js" | "ts";
  readonly check: boolean;
  readonly force: boolean;
  readonly quiet: boolean;
};

export type GoSource = {
  readonly kind: "go";
  /** `MODULE@VERSION`, or a folder. */
  readonly from: string;
  readonly packages: readonly string[];
  readonly markers: "error" | "warn" | undefined;
};

export type CrdSource = { readonly kind: "crds"; readonly paths: readonly string[] };

export type ParsedArguments =
  | { readonly kind: "run"; readonly run: Arguments }
  | { readonly kind: "help" | "version" }
  | { readonly kind: "wrong"; readonly message: string };

const options = {
  out: { type: "string" },
  packages: { type: "string", multiple: true },
  constructs: { type: "boolean" },
  "import-extension": { type: "string" },
  markers: { type: "string" },
  check: { type: "boolean" },
  force: { type: "boolean" },
  quiet: { type: "boolean" },
  help: { type: "boolean", short: "h" },
  version: { type: "boolean" },
} as const;

export function parseArguments(args: readonly string[]): ParsedArguments {
  const parsed = parseWords(args);
  if (typeof parsed === "string") return wrong(parsed);
  const { values, positionals } = parsed;
  if (values.help === true) return { kind: "help" };
  if (values.version === true) return { kind: "version" };
  const [command, ...paths] = positionals;
  const extension = values["import-extension"] ?? "js";
  if (extension !== "js" && extension !== "ts") return wrong(`--import-extension is js or ts, not ${extension}`);
  const source = sourceOf(command, paths, values);
  if (typeof source === "string") return wrong(source);
  if (values.out === undefined || values.out === "") return wrong("--out DIR is missing: where to write");
  const { constructs = false, check = false, force = false, quiet = false } = values;
  return { kind: "run", run: { source, out: values.out, constructs, extension, check, force, quiet } };
}

const wrong = (message: string): ParsedArguments => ({ kind: "wrong", message });

function parseWords(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function sourceOf(
  command: string | undefined,
  paths: readonly string[],
  { packages, markers }: { readonly packages?: readonly string[]; readonly markers?: string },
): GoSource | CrdSource | string {
  const [from, ...others] = paths;
  switch (command) {
    case "from-go":
      if (from === undefined) return "from-go needs MODULE@VERSION or DIR";
      if (others.length > 0) return `from-go reads one module, and ${others.join(" ")} is another word`;
      if (markers !== undefined && markers !== "error" && markers !== "warn")
        return `--markers is error or warn, not ${markers}`;
      return { kind: "go", from, packages: packages ?? ["./..."], markers };
    case "from-crds":
      if (from === undefined) return "from-crds needs FILE or DIR";
      if (packages !== undefined || markers !== undefined) return "--packages and --markers belong to from-go";
      return { kind: "crds", paths };
    default:
      return command === undefined ? "from-go or from-crds is missing" : `${command} is neither from-go nor from-crds`;
  }
}

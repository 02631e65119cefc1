/** One part of `npm run generate`: what it reads, where it writes, and how. The runner skips a step whose inputs and outputs have not changed. */
export type Step = {
  /** Shown in the progress lines, for example `protobuf types`. */
  readonly name: string;
  /** Files, or folders to take whole, whose contents decide whether the step is due; tests and `testdata` do not count. Relative to the repository's root. */
  readonly inputs: readonly string[];
  /** Folders or files that the step owns; the runner empties and hashes them. Relative to the repository's root. */
  readonly outputs: readonly string[];
  /**
   * Does the work. `report` adds a progress line; a thrown `CodegenError` carries file and line.
   *
   * `stage` gives the place to write an output to, as an absolute path: one of `outputs`, or a path below one. What is
   * staged takes the place of the whole output when the step has succeeded; after a failure the last good output stays.
   */
  readonly run: (report: (line: string) => void, stage: (output: string) => string) => Promise<void>;
};

/** A fault in what codegen reads, with the place where a person should look. */
export class CodegenError extends Error {
  override readonly name = "CodegenError";
}

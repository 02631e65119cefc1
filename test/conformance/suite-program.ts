import path from "node:path";
import { goBuildFlags, goEnvironment } from "../../codegen/src/go/go.ts";

/** The upstream suite as a program, made as the lab's programs are: once for its pins and its own source. */
export const suiteProgram = {
  name: "conformance-suite",
  module: path.join(import.meta.dirname, "suite"),
  package: ".",
  own: true,
  test: true,
  flags: ["-ldflags=-s -w", ...goBuildFlags],
  environment: goEnvironment,
  coldMinutes: 4,
} as const;

import type { DescFile } from "@bufbuild/protobuf";

/**
 * A file as those that import it may see it: with what it passes on, but not with all that it imports itself. Where a file is built, the
 * library takes in the imports of its imports by each way that leads to them, which for Envoy's files are thousands.
 */
export function importOf(file: DescFile): DescFile {
  const { publicDependency } = file.proto;
  return { ...file, dependencies: file.dependencies.filter((_, index) => publicDependency.includes(index)) };
}

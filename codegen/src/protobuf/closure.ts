import type { FileDescriptorProto, FileDescriptorSet } from "@bufbuild/protobuf/wkt";
import { CodegenError } from "../step.ts";

/** The names of the files that `roots` name and of all that these import, in the order of `set`. */
export function closure(set: FileDescriptorSet, roots: readonly string[]): readonly string[] {
  const files = new Map(set.file.map((file) => [file.name, file]));
  const wanted = new Set<string>();
  const take = (file: FileDescriptorProto) => {
    if (wanted.has(file.name)) return;
    wanted.add(file.name);
    for (const name of file.dependency) {
      const dependency = files.get(name);
      if (dependency === undefined)
        throw new CodegenError(`${file.name} imports ${name}, which is not in the descriptors`);
      take(dependency);
    }
  };
  for (const root of roots) {
    const named = set.file.filter((file) => (root.endsWith("/") ? folderOf(file.name) === root : file.name === root));
    if (named.length === 0)
      throw new CodegenError(`no .proto file is named ${root}: see codegen/src/protobuf/roots.ts`);
    named.forEach(take);
  }
  return set.file.map((file) => file.name).filter((name) => wanted.has(name));
}

const folderOf = (name: string) => name.slice(0, name.lastIndexOf("/") + 1);

import {
  createFileRegistry,
  createMutableRegistry,
  type DescFile,
  fromBinary,
  type Registry,
} from "@bufbuild/protobuf";
import { nestedTypes } from "@bufbuild/protobuf/reflect";
import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import { type FileDescriptorProto, FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import { importOf } from "@gatewright/crd-types/protobuf";

/**
 * All types of a serialized `FileDescriptorSet`. A file of it is built, with those that it imports, once one of its types is asked
 * for: of Envoy's 400 files a configuration uses a quarter.
 */
export function createLazyRegistry(set: Uint8Array): Registry {
  const contents = readContents(set);
  const built = createMutableRegistry();
  const files = new Map<string, DescFile>();

  function build(name: string): DescFile {
    const known = files.get(name);
    if (known !== undefined) return known;
    const proto = parseFile(contents.files.get(name), name);
    for (const dependency of proto.dependency) build(dependency);
    const file = createFileRegistry(proto, (dependency) => imported(files.get(dependency))).getFile(name);
    if (file === undefined) throw new Error(`${name} describes another file`);
    files.set(name, file);
    for (const type of nestedTypes(file)) built.add(type);
    return file;
  }

  /** The types that are built, with the one that is asked for, which may stand within others. */
  function having(typeName: string): Registry {
    for (let name = typeName; name !== ""; name = name.slice(0, Math.max(0, name.lastIndexOf(".")))) {
      const file = contents.fileOfType.get(name);
      if (file === undefined) continue;
      build(file);
      break;
    }
    return built;
  }

  return {
    kind: "registry",
    get: (typeName) => having(typeName).get(typeName),
    getMessage: (typeName) => having(typeName).getMessage(typeName),
    getEnum: (typeName) => having(typeName).getEnum(typeName),
    getExtension: (typeName) => having(typeName).getExtension(typeName),
    getService: (typeName) => having(typeName).getService(typeName),
    getExtensionFor: (extendee, number) => {
      for (const file of contents.filesWithExtensions) build(file);
      return built.getExtensionFor(extendee, number);
    },
    [Symbol.iterator]: () => {
      for (const file of contents.files.keys()) build(file);
      return built[Symbol.iterator]();
    },
  };
}

const imported = (file: DescFile | undefined): DescFile | undefined => file && importOf(file);

function parseFile(bytes: Uint8Array | undefined, name: string): FileDescriptorProto {
  if (bytes === undefined) throw new Error(`${name} is imported and not there`);
  return fromBinary(FileDescriptorProtoSchema, bytes);
}

type Contents = {
  /** Serialized, by their names. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** Of types that stand within no other. */
  readonly fileOfType: ReadonlyMap<string, string>;
  readonly filesWithExtensions: readonly string[];
};

// https://github.com/protocolbuffers/protobuf/blob/main/src/google/protobuf/descriptor.proto
const setFields = { file: 1 };
const fileFields = { name: 1, package: 2, message: 4, enum: 5, service: 6, extension: 7 };
/** Alike in descriptors of messages, enums, services and fields, which is what an extension is. */
const nameField = 1;

/** Which types are where, without a look at anything else. */
function readContents(set: Uint8Array): Contents {
  const files = new Map<string, Uint8Array>();
  const fileOfType = new Map<string, string>();
  const filesWithExtensions: string[] = [];
  for (const [field, bytes] of delimited(set)) {
    if (field !== setFields.file) continue;
    let name = "";
    let prefix = "";
    const types: string[] = [];
    for (const [part, content] of delimited(bytes)) {
      if (part === fileFields.name) name = textOf(content);
      if (part === fileFields.package) prefix = `${textOf(content)}.`;
      if (part >= fileFields.message && part <= fileFields.extension) types.push(nameOf(content));
      if (part === fileFields.extension && filesWithExtensions.at(-1) !== name) filesWithExtensions.push(name);
    }
    files.set(name, bytes);
    for (const type of types) fileOfType.set(prefix + type, name);
  }
  return { files, fileOfType, filesWithExtensions };
}

/** The fields of a message that have a length: texts, bytes and messages. */
function* delimited(bytes: Uint8Array): Generator<readonly [number, Uint8Array]> {
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    if (type === WireType.LengthDelimited) yield [field, reader.bytes()];
    else reader.skip(type, field);
  }
}

function nameOf(descriptor: Uint8Array): string {
  for (const [field, content] of delimited(descriptor)) if (field === nameField) return textOf(content);
  throw new Error("a type without a name");
}

const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

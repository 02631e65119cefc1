// What generated protobuf code is made of: the library's, but for one function of it, which takes half of the time to load.
import type { DescFile } from "@bufbuild/protobuf";
import { fileDesc as describe, type GenFile } from "@bufbuild/protobuf/codegenv2";
import { importOf } from "./import-of.ts";

export * from "@bufbuild/protobuf/codegenv2";

export const fileDesc = (base64: string, imports?: DescFile[]): GenFile => describe(base64, imports?.map(importOf));

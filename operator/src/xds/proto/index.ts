export { encode, packAny, typeNameOf, typeUrl, type Unpacked, unpackAny } from "./any.ts";
export { messageToJson } from "./json.ts";
export { protoRegistry } from "./registry.ts";

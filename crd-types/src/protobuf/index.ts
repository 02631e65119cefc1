// Help for those who build descriptors themselves.
export { importOf } from "./import-of.ts";

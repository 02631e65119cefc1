import { isMessage, type Message } from "@bufbuild/protobuf";
import { AnySchema } from "@bufbuild/protobuf/wkt";
import { typeNameOf } from "../proto/index.ts";

/**
 * Says why a message may not be packed into a filter's configuration. An extension inside of an extension can do what the
 * filter itself cannot: run Lua, load code, call other services. A malformed path template even ends Envoy. So only what is
 * known to be harmless passes.
 */
export function nestedProblem(message: Message, allowed: readonly string[]): string | undefined {
  if (!isMessage(message, AnySchema)) return undefined;
  const typeName = typeNameOf(message.typeUrl);
  return allowed.includes(typeName) ? undefined : `${typeName} may not be used here`;
}

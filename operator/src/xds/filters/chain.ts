import type { HttpFilterSchema } from "@gatewright/crd-types/proto/envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb";
import type { ExtensionConfig, HttpConnectionManager } from "../../ir/index.ts";
import type { Init } from "../init.ts";

export type HttpFilterInit = Init<typeof HttpFilterSchema>;

/** The configuration of an extension filter's chain entry, which does nothing by itself. Undefined: the filter is not known. */
export type NeutralConfig = (filter: string) => ExtensionConfig | undefined;

/** Gives the chain entries of one row of the order table. */
export type ChainBuilder = (http: HttpConnectionManager, neutral: NeutralConfig) => readonly HttpFilterInit[];

import type { HttpConnectionManager } from "../../ir/index.ts";
import type { ChainBuilder, HttpFilterInit, NeutralConfig } from "./chain.ts";
import { corsEntry } from "./cors.ts";
import { extensionEntries } from "./extensions.ts";
import { requestFilterEntries } from "./request-filters.ts";
import { routerEntry } from "./router.ts";

/** The order of HTTP filters, the only place that knows it. Requests pass from top to bottom, responses from bottom to top. */
const chainOrder: readonly { readonly build: ChainBuilder; readonly reason: string }[] = [
  { build: requestFilterEntries, reason: "a route is chosen after them, and all that follows goes by the route" },
  { build: corsEntry, reason: "answers preflights, which carry no credentials, before a filter that asks for some" },
  { build: extensionEntries, reason: "after all that the product adds itself, so that none of it can be cheated" },
  { build: routerEntry, reason: "ends the chain: Envoy refuses a filter after it" },
];

export const buildHttpFilters = (http: HttpConnectionManager, neutral: NeutralConfig): readonly HttpFilterInit[] =>
  chainOrder.flatMap(({ build }) => build(http, neutral));

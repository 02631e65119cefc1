import type { Product } from "../product.ts";
import { createEnvoyGateway } from "./envoy-gateway.ts";
import { createNull } from "./null.ts";
import { createOurs } from "./ours.ts";
import type { Side, SideName } from "./side.ts";

export type SideOptions = {
  /** Left out: the sources of this checkout. */
  readonly product?: Product;
  /** Flags of Node for our operator. */
  readonly nodeFlags: readonly string[];
  readonly report: (line: string) => void;
};

/** Builds what is missing of it. */
export async function createSide(name: SideName, { product, nodeFlags, report }: SideOptions): Promise<Side> {
  switch (name) {
    case "ours":
      return createOurs({ nodeFlags, ...(product !== undefined && { product }) });
    case "envoy-gateway":
      return await createEnvoyGateway(report);
    case "envoy-gateway-qps-500":
      return await createEnvoyGateway(report, 500);
    case "null":
      return createNull(product);
  }
}

import type { AdsServer } from "../ads/index.ts";
import type { Identity } from "../identity/index.ts";
import type { Endpoints } from "../telemetry/index.ts";
import { messageOf } from "../lib/index.ts";
import { StartError } from "./options.ts";

/** Throws a `StartError` that names the option where the port cannot be had. */
export async function listenOn(option: string, listen: () => Promise<Endpoints>): Promise<Endpoints> {
  try {
    return await listen();
  } catch (error) {
    throw new StartError(`${option}: ${messageOf(error)}`);
  }
}

/** On all addresses: of both families where the host has them. Resolves to the port. */
export async function listenForProxies(
  ads: Pick<AdsServer, "listen">,
  port: number,
  credentials: Identity["credentials"],
): Promise<number> {
  try {
    return await ads.listen(`[::]:${port}`, credentials);
  } catch {
    // A host without IPv6; or the port is in use, and then this fails as well and says so.
    try {
      return await ads.listen(`0.0.0.0:${port}`, credentials);
    } catch (error) {
      throw new StartError(`--ads-port ${port}: ${messageOf(error)}`);
    }
  }
}

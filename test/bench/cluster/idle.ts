import { pause } from "./program.ts";
import type { Session } from "./session.ts";
import type { Figures } from "./workload.ts";

/** Nothing happens. */
export async function idle(session: Session, seconds: number): Promise<Figures> {
  const { cost } = await session.measure(() => pause(seconds * 1000));
  const { side, envoy } = await session.memory();
  return {
    cpuMsPerSecond: cost.sideCpuMs / (cost.wallMs / 1000),
    // Signs of life of the connection are among them.
    bytes: cost.bytes,
    ...(cost.resources !== undefined && { resources: cost.resources }),
    statusWrites: cost.routeStatusWrites,
    sideMiB: side.residentMiB,
    sidePeakMiB: side.peakMiB,
    envoyMiB: envoy.residentMiB,
  };
}

import { ask, isOk } from "./asking.ts";
import { routeName } from "./objects.ts";
import { until } from "./program.ts";
import type { Session } from "./session.ts";
import type { Figures } from "./workload.ts";

/** Everything is there already, but who holds it may need its time. */
const startTimeoutMs = 900_000;

/** The control plane starts anew beside an Envoy that knows everything; then both do. */
export async function restart(session: Session, count: number): Promise<Figures> {
  const last = routeName(count - 1);
  const writesBefore = session.watch.statusWrites();
  const gatewayWritesBefore = session.watch.gatewayStatusWrites();
  const loads = session.envoy();
  const bytesBefore = await loads.receivedBytes();
  await session.stopSide();
  const beganMs = performance.now();
  await session.startSide();
  await until("Envoy is connected", async () => await isConnected(session));
  const connectedMs = performance.now() - beganMs;
  await session.quiet();
  const own = await session.side.ownCounters?.();
  const kept = {
    restartConnectedMs: connectedMs,
    restartCpuMs: await session.sideCpuMs(),
    restartBytes: (await loads.receivedBytes()) - bytesBefore,
    ...(own && { restartResources: own.resources }),
    restartStatusWrites: session.watch.statusWrites() - writesBefore,
    restartGatewayWrites: session.watch.gatewayStatusWrites() - gatewayWritesBefore,
  };
  await session.stopEnvoy();
  await session.stopSide();
  const coldMs = performance.now();
  await session.startSide();
  const readyMs = performance.now() - coldMs;
  await session.startEnvoy();
  await until("the last route answers", () => ask(last).then(isOk, () => false), { withinMs: startTimeoutMs });
  const coldStartMs = performance.now() - coldMs;
  await session.quiet();
  const { side } = await session.memory();
  const coldCpuMs = await session.sideCpuMs();
  return { ...kept, coldReadyMs: readyMs, coldStartMs, coldCpuMs, coldPeakMiB: side.peakMiB };
}

async function isConnected(session: Session): Promise<boolean> {
  return (await session.envoy().stat("control_plane.connected_state")) === 1;
}

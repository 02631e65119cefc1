// The live heap of a Node process that was started as everybody starts it: a signal opens its inspector, which is asked over its protocol.
// https://nodejs.org/api/inspector.html, https://chromedevtools.github.io/devtools-protocol/v8/HeapProfiler/
import { until } from "./program.ts";

/** Where Node's inspector listens. Nothing else has the port in a network of one's own. */
const inspectorUrl = "http://127.0.0.1:9229/json/list";

/** Collects the garbage of the process, and tells what is left in MiB. */
export async function heapAfterCollection(pid: number): Promise<number> {
  process.kill(pid, "SIGUSR1");
  let url: string | undefined;
  await until("the inspector answers", async () => {
    url = await debuggerUrl();
    return url !== undefined;
  });
  const socket = new WebSocket(url ?? "");
  try {
    await new Promise((resolve, reject) => {
      socket.addEventListener("open", resolve, { once: true });
      socket.addEventListener("error", () => reject(new Error("the inspector takes no connection")), { once: true });
    });
    await call(socket, 1, "HeapProfiler.collectGarbage");
    const { usedSize } = await call(socket, 2, "Runtime.getHeapUsage");
    return Number(usedSize) / 1024 ** 2;
  } finally {
    socket.close();
  }
}

const debuggerUrl = (): Promise<string | undefined> =>
  fetch(inspectorUrl).then(
    async (response) => ((await response.json()) as { webSocketDebuggerUrl?: string }[])[0]?.webSocketDebuggerUrl,
    () => undefined,
  );

function call(socket: WebSocket, id: number, method: string): Promise<Readonly<Record<string, unknown>>> {
  return new Promise((resolve, reject) => {
    const onMessage = ({ data }: MessageEvent) => {
      const answer = JSON.parse(String(data)) as { id?: number; result?: Record<string, unknown>; error?: unknown };
      if (answer.id !== id) return;
      socket.removeEventListener("message", onMessage);
      if (answer.result === undefined) reject(new Error(`${method}: ${JSON.stringify(answer.error)}`));
      else resolve(answer.result);
    };
    socket.addEventListener("message", onMessage);
    socket.addEventListener("close", () => reject(new Error("the inspector has closed the connection")), {
      once: true,
    });
    socket.send(JSON.stringify({ id, method }));
  });
}

// The one real Envoy, with the same flags whoever configures it.
import { writeFile } from "node:fs/promises";
import { request } from "node:http";
import path from "node:path";
import { envoyBinary } from "../../support/envoy.ts";
import { type Program, startProgram, until } from "./program.ts";

export type Envoy = {
  readonly program: Program;
  /** Bytes that came from the control plane, with all that TLS and HTTP/2 add. */
  readonly receivedBytes: () => Promise<number>;
  readonly stat: (name: string) => Promise<number>;
  readonly admin: (path: string) => Promise<string>;
  readonly stop: () => Promise<void>;
};

export type EnvoyOptions = {
  readonly folder: string;
  /** JSON, as the implementation wants it. */
  readonly bootstrap: string;
  readonly adminPath: string;
  readonly nodeId: string;
  /** The cluster of its bootstrap that leads to the control plane. */
  readonly adsCluster: string;
};

export async function startEnvoy(options: EnvoyOptions): Promise<Envoy> {
  const file = path.join(options.folder, "bootstrap-in-use.json");
  await writeFile(file, options.bootstrap);
  const program = startProgram({
    name: "envoy",
    logFile: path.join(options.folder, "envoy.log"),
    command: [
      await envoyBinary(),
      "--config-path",
      file,
      "--service-node",
      options.nodeId,
      "--concurrency",
      "2",
      "--log-level",
      "warning",
      "--disable-hot-restart",
    ],
  });
  const admin = (where: string) => ask(options.adminPath, where);
  await until("Envoy has an admin interface", async () => (await admin("/server_info").catch(() => "")) !== "", {
    of: program,
  });
  const stat = async (name: string) => {
    const text = await admin(`/stats?filter=^${name.replaceAll(".", "\\.")}$`);
    return Number(/: (\d+)/.exec(text)?.[1] ?? Number.NaN);
  };
  return {
    program,
    admin,
    stat,
    receivedBytes: () => stat(`cluster.${options.adsCluster}.upstream_cx_rx_bytes_total`),
    stop: () => program.stop(2_000),
  };
}

function ask(socketPath: string, where: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const asked = request({ socketPath, path: where, agent: false }, (response) => {
      let body = "";
      response.setEncoding("utf8").on("data", (text: string) => (body += text));
      response.on("end", () => resolve(body));
    });
    asked.on("error", reject);
    asked.end();
  });
}

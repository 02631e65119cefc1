import { buildPrograms } from "../../lab/build.ts";
import { mustRun } from "../../lab/run-command.ts";
import { envoyBinary } from "../../support/envoy.ts";
import { bedPrograms } from "./api-bed.ts";

/** What the programs say of themselves that every implementation is measured with. */
export async function programVersions(): Promise<Readonly<Record<string, string>>> {
  const programs = await buildPrograms(bedPrograms, { report: () => undefined });
  const said = async (file: string) => /\d+\.\d+\.\d+/.exec(await mustRun([file, "--version"]))?.[0] ?? "unknown";
  return {
    kubernetes: await said(programs["kube-apiserver"]),
    etcd: await said(programs.etcd),
    envoy: await said(await envoyBinary()),
  };
}

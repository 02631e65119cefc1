// How many watchers of files the programs of one user may have. An Envoy has some, all Envoys run as the same user, and one that gets none
// ends itself: https://github.com/envoyproxy/envoy/blob/v1.40.0/source/common/filesystem/inotify/watcher_impl.cc
import { readFile, writeFile } from "node:fs/promises";

/** Distributions that are meant for nodes have 1024 and more; the kernel's own 128 is not enough for 30 Envoys. */
export const wantedInstances = 1024;

const file = "/proc/sys/fs/inotify/max_user_instances";

/** The setting of a host; tests have others. */
export type Setting = { readonly read: () => Promise<number>; readonly write: (value: number) => Promise<void> };

const ofThisHost: Setting = {
  read: async () => Number(await readFile(file, "utf8")),
  write: (value) => writeFile(file, String(value)),
};

/** Raises the limit of this host where it is low: of the whole host, as there is no other. Never lowers it. */
export async function allowWatchers(report: (line: string) => void, setting: Setting = ofThisHost): Promise<void> {
  const present = await setting.read();
  if (present >= wantedInstances) return;
  const name = "fs.inotify.max_user_instances";
  try {
    await setting.write(wantedInstances);
    report(`${name} of this host was ${present} and is ${wantedInstances} from now on`);
  } catch {
    // A container that may not write there: few Envoys run all the same.
    const remedy = `on the host, sysctl -w ${name}=${wantedInstances}`;
    report(`${name} is ${present}, which is not enough for 30 Envoys, and cannot be changed from here: ${remedy}`);
  }
}

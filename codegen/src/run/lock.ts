import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** Runs `work` while no other process holds the same lock file. A lock left by a dead process is taken over. */
export const withLock = async <T>(file: string, waiting: (pid: number) => void, work: () => Promise<T>): Promise<T> => {
  await mkdir(path.dirname(file), { recursive: true });
  let told = false;
  while (!(await tryLock(file))) {
    const holder = Number(await readFile(file, "utf8").catch(() => ""));
    if (holder > 0 && !isAlive(holder)) {
      await rm(file, { force: true });
      continue;
    }
    if (!told && holder > 0) waiting(holder);
    told ||= holder > 0;
    await sleep(100);
  }
  try {
    return await work();
  } finally {
    await rm(file, { force: true });
  }
};

const tryLock = (file: string) =>
  writeFile(file, String(process.pid), { flag: "wx" }).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === "EEXIST") return false;
      throw error;
    },
  );

const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Only ESRCH says that there is no such process; EPERM says that it is somebody else's.
    return !(error instanceof Error && "code" in error && error.code === "ESRCH");
  }
};

import { execFile } from "node:child_process";
import { closeSync, constants, openSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";

/** The longest path of a Unix socket that every system takes (macOS: 104 bytes with the one at the end). */
const maxSocketPath = 103;

/** Room for what is put into the folder: `/gatewright-XXXXXX/envoy-12345/admin.sock`. */
const innerLength = 42;

/** A folder that only this user can enter: sockets in it need no other protection. */
export async function createRunFolder(env: NodeJS.ProcessEnv = process.env): Promise<string> {
  const candidates = [env["XDG_RUNTIME_DIR"] ?? "", tmpdir(), "/tmp"].filter((folder) => folder !== "");
  for (const parent of candidates) {
    if (Buffer.byteLength(parent) + innerLength > maxSocketPath) continue;
    try {
      // mkdtemp makes it with mode 0700.
      return await mkdtemp(join(parent, "gatewright-"));
    } catch {
      // Not there or not ours to write; the next may be.
    }
  }
  throw new Error(`no folder for sockets can be made in ${candidates.join(", ")}`);
}

/** A pipe for the standard output of all Envoys: what they write to it arrives here line by line. */
export type OutputPipe = {
  /** For `stdio` of a child process. */
  readonly fd: number;
  readonly close: () => void;
};

/**
 * Envoy opens `/dev/stdout` anew for access logs. That works with a pipe that has a name, but not with the sockets by which
 * Node talks to its children.
 */
export async function openOutputPipe(folder: string, onLine: (line: string) => void): Promise<OutputPipe> {
  const path = join(folder, "stdout.pipe");
  await promisify(execFile)("mkfifo", ["-m", "600", path]);
  // Opened for both, so that there is always a writer and no end of file when the last Envoy goes.
  const fd = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  const reader = new Socket({
    fd: openSync(path, constants.O_RDONLY | constants.O_NONBLOCK),
    readable: true,
    writable: false,
  });
  reader.unref();
  createInterface({ input: reader }).on("line", onLine);
  return {
    fd,
    close: () => {
      reader.destroy();
      closeSync(fd);
    },
  };
}

export const removeRunFolder = (folder: string): Promise<void> => rm(folder, { recursive: true, force: true });

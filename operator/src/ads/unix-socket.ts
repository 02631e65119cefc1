import { lstat, unlink } from "node:fs/promises";
import { connect } from "node:net";

/** Removes a Unix socket that a process left behind when it died. One that somebody listens on is left alone. */
export async function removeStaleSocket(path: string): Promise<void> {
  const stats = await lstat(path).catch(() => undefined);
  if (stats?.isSocket() !== true || (await isListenedOn(path))) return;
  await unlink(path);
}

function isListenedOn(path: string): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect(path);
    socket.once("connect", () => {
      socket.destroy();
      done(true);
    });
    socket.once("error", (error: NodeJS.ErrnoException) => done(error.code !== "ECONNREFUSED"));
  });
}

import { spawn } from "node:child_process";

/** Ends our Envoys and removes our folder when we die without having done so, by SIGKILL for example. */
export type Guard = {
  readonly add: (pid: number) => void;
  readonly remove: (pid: number) => void;
  /** Ends the guard without a trace: there is nothing left to guard. */
  readonly close: () => void;
};

// Node cannot ask the kernel for a signal at its parent's death (PR_SET_PDEATHSIG), and macOS has no such thing. But a pipe whose only writer dies is
// at its end, and so this shell reads on until then. It has a session of its own: Ctrl-C in the terminal is not meant for it.
const script = `
trap '' HUP INT TERM
pids=
while read -r word pid; do
  case $word in
    add) pids="$pids $pid" ;;
    remove) kept=; for each in $pids; do [ "$each" = "$pid" ] || kept="$kept $each"; done; pids=$kept ;;
    close) exit 0 ;;
  esac
done
[ -z "$pids" ] || kill -TERM $pids
rm -rf -- "$1"
`;

/** `folder` is removed too when we die. */
export function createGuard(folder: string): Guard {
  const shell = spawn("/bin/sh", ["-c", script, "gatewright-guard", folder], {
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  shell.unref();
  // A guard that cannot run must not take us down; the Envoys are then on their own if we are killed.
  shell.on("error", () => undefined);
  shell.stdin.on("error", () => undefined);
  const say = (line: string) => void shell.stdin.write(`${line}\n`);
  return {
    add: (pid) => say(`add ${pid}`),
    remove: (pid) => say(`remove ${pid}`),
    close: () => {
      shell.stdin.end("close\n");
    },
  };
}

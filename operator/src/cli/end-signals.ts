/** The signals by which a user or a system asks a process to end. */
export const endSignals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Commands that go on until they are asked to end: for them that is no failure, and their exit code is 0. */
const servers: ReadonlySet<string | undefined> = new Set(["standalone", "operator"]);

/**
 * Ends a process that is asked to while its command does not listen yet: there is nothing to put away then. Commands that are no
 * servers are left to the system, which ends them at once whatever they are doing.
 */
export function endEarly(command: string | undefined): void {
  if (!servers.has(command)) return;
  for (const signal of endSignals) {
    process.on(signal, () => {
      const isAlone = process.listenerCount(signal) === 1;
      if (isAlone) process.exit(0);
    });
  }
}

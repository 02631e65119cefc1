export type HealthCheck = {
  /** What is to be so, in a few words. */
  readonly name: string;
  /** Undefined where it is so; otherwise why not. */
  readonly problem: () => string | undefined;
};

export type Health = { readonly healthy: boolean; readonly text: string };

/** One line a check, as the probes of Kubernetes' own components show them. */
export function healthOf(checks: readonly HealthCheck[]): Health {
  const results = checks.map(({ name, problem }) => ({ name, problem: problem() }));
  const lines = results.map(({ name, problem }) => (problem === undefined ? `[+] ${name}` : `[-] ${name}: ${problem}`));
  const healthy = results.every(({ problem }) => problem === undefined);
  return { healthy, text: [...lines, healthy ? "ok" : "not ok", ""].join("\n") };
}

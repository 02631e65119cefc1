import { type Change, storedKinds } from "../store/index.ts";
import { messageOf } from "../lib/index.ts";
import { assume } from "./assumed.ts";
import { tellConditions } from "./conditions.ts";
import { arrange, type Finding, type Identity, nobody } from "./finding.ts";
import type { WrittenObject } from "./documents.ts";
import { tellHostnames } from "./hostnames.ts";
import { tellLooseEnds } from "./loose.ts";
import { tellMatches } from "./matches.ts";
import { type Input, readInputs } from "./read.ts";
import { createReporter } from "./reporter.ts";
import { type Channel, createServed } from "./served.ts";
import { translateOnce } from "./translate.ts";

export type CheckOptions = {
  readonly channel: Channel;
  /** Minor release of Kubernetes 1; the newest known unless given. */
  readonly kubernetesMinor?: number;
  /** What is referred to and not in the files is missing. */
  readonly isComplete: boolean;
  readonly controllerName: string;
  /** A GatewayClass of ours that is there without a file. */
  readonly gatewayClass: string;
  readonly rootNamespace: string;
  /** For what is said of certificates. */
  readonly nowMs: number;
};

export type Verdict = {
  /** In order, each once. */
  readonly findings: readonly Finding[];
  readonly objects: readonly (WrittenObject & Identity)[];
  readonly files: number;
  /** Objects of kinds that nothing is known of. */
  readonly passedOver: number;
};

/** What a cluster, our operator and Envoy would say of the objects in these files. Never throws for what is in them. */
export function check(inputs: readonly Input[], options: CheckOptions): Verdict {
  const { controllerName, gatewayClass, rootNamespace, nowMs, isComplete } = options;
  const served = createServed(options.channel, options.kubernetesMinor);
  const { objects, changes, written, findings, passedOver } = readInputs(inputs, served);
  const reporter = createReporter({ written, isComplete });
  const isWritten = (kind: string, key: string) =>
    written.has(`${kind} ${key}`) || (kind === "GatewayClass" && key === gatewayClass);
  const own = written.has(`GatewayClass ${gatewayClass}`) ? [] : [classOf(gatewayClass, controllerName)];
  const bugs: Finding[] = [];
  const present = [...own, ...changes];
  const assumed = assume(present, { controllerName, className: gatewayClass, isWritten });
  const translated = translateOnce([...present, ...assumed.changes], {
    controllerName,
    rootNamespace,
    nowMs,
    absent: served.absent,
    onError: (table, key, error) => bugs.push(bugOf(table, key, error)),
  });
  tellConditions(translated, { reporter, assumed: assumed.names, isWritten, isComplete });
  tellHostnames(translated, assumed.names, reporter);
  tellMatches(translated, reporter);
  tellLooseEnds(present, { reporter, controllerName, isWritten });
  return {
    findings: arrange([...findings, ...reporter.findings, ...bugs]),
    objects,
    files: inputs.length,
    passedOver,
  };
}

function classOf(name: string, controllerName: string): Change {
  const apiVersion = `${storedKinds.GatewayClass.group}/v1`;
  const object = {
    apiVersion,
    kind: "GatewayClass",
    metadata: { name, generation: 1 },
    spec: { controllerName },
  } as const;
  return { kind: "GatewayClass", key: name, object: { ...object, apiVersion: "gateway.networking.k8s.io/v1" } };
}

const bugOf = (table: string, key: string, error: unknown): Finding => ({
  ...nobody,
  severity: "error",
  file: "",
  line: 1,
  column: 1,
  field: "",
  rule: "internal",
  message: `a step of translation failed (${table}, ${key}): ${messageOf(error)}`,
});

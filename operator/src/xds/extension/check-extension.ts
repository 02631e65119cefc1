import type { DescMessage, Message } from "@bufbuild/protobuf";
import type { Any } from "@bufbuild/protobuf/wkt";
import type { ExtensionConfig } from "../../ir/index.ts";
import { encode, typeUrl } from "../proto/index.ts";
import { validateMessage } from "../validate/index.ts";
import { defaultFilters, type KnownFilter, knownFilters } from "./filters.ts";
import { isPlainObject } from "./json.ts";
import { sizeProblem } from "./limits.ts";
import { nestedProblem } from "./nested.ts";
import { camelCase, fieldAt, spellPlace } from "./place.ts";
import type { ExtensionProblem } from "./problem.ts";
import { type Finding, readJson, readType } from "./read-json.ts";
import { createRegexCheck } from "./regex-check.ts";
import { sharedChecks } from "./shared-checks.ts";
import { visitMessages } from "./visit.ts";

/** What an HTTPFilter asks of Envoy. */
export type ExtensionSpec = { readonly filter: string; readonly typedConfig: unknown };

export type ExtensionCheck =
  | { readonly kind: "valid"; readonly config: ExtensionConfig }
  | { readonly kind: "invalid"; readonly problems: readonly ExtensionProblem[] };

/**
 * Checks what an HTTPFilter asks of Envoy, as far as can be done without Envoy, and encodes it for routes. The same
 * configuration gives the same bytes, whatever the order in which it was written. Reports all problems of the first kind that
 * it meets: of what can be read, of what the rules say, of what Envoy's code says.
 *
 * @param allowed the filters that the mesh allows; without, those that are safe everywhere.
 */
export function checkExtension(
  { filter, typedConfig }: ExtensionSpec,
  allowed: readonly string[] = defaultFilters,
): ExtensionCheck {
  const known = knownFilters.get(filter);
  if (known === undefined || !allowed.includes(filter)) {
    return { kind: "invalid", problems: [notAllowed(filter, known, allowed)] };
  }
  const result = readConfig(known, typedConfig);
  if (result.kind === "message") {
    const findings = [...ruleFindings(known.perRoute, result.message), ...codeFindings(known, result.message)];
    if (findings.length > 0) return refuse(findings, typedConfig);
    const value = encode(known.perRoute, result.message);
    return { kind: "valid", config: { typeUrl: typeUrl(known.perRoute), value } };
  }
  return refuse(result.findings, typedConfig);
}

/** The configuration of a filter's chain entry, which does nothing by itself. Undefined: the filter is not known. */
export function neutralConfig(filter: string): ExtensionConfig | undefined {
  const any = knownFilters.get(filter)?.neutral();
  return any && { typeUrl: any.typeUrl, value: any.value };
}

/** What a route's configuration of a filter comes to where it stands for itself, as for a listener. Undefined: the filter is not known. */
export function wholeConfig(filter: string, { value }: ExtensionConfig): ExtensionConfig | undefined {
  const any = knownFilters.get(filter)?.whole(value);
  return any && { typeUrl: any.typeUrl, value: any.value };
}

/** The configuration that switches a filter off for a route, of those whose neutral configuration is not as good. */
export const offConfig = (filter: string): Any | undefined => knownFilters.get(filter)?.off?.();

function readConfig({ name, perRoute }: KnownFilter, typedConfig: unknown): ReturnType<typeof readJson> {
  const invalid = (finding: Finding) => ({ kind: "invalid", findings: [finding] }) as const;
  if (typedConfig === undefined || typedConfig === null) {
    return invalid({ reason: "MissingField", place: [], message: "is missing" });
  }
  const tooLarge = sizeProblem(typedConfig);
  if (tooLarge !== undefined) return invalid({ reason: "TooLarge", place: [], message: tooLarge });
  if (!isPlainObject(typedConfig)) {
    return invalid({ reason: "InvalidValue", place: [], message: "must be an object with @type" });
  }
  const type = readType(typedConfig, []);
  if (type.kind === "invalid") return invalid(type.finding);
  if (type.desc.typeName !== perRoute.typeName) {
    const message = `${type.desc.typeName} is not what ${name} takes for a route: that is ${typeUrl(perRoute)}`;
    return invalid({ reason: "WrongType", place: fieldAt([], "@type"), message });
  }
  return readJson(perRoute, typedConfig);
}

/** What the rules of Envoy's API say. */
function ruleFindings(desc: DescMessage, message: Message): readonly Finding[] {
  const result = validateMessage(desc, message);
  if (result.kind === "valid") return [];
  return result.violations.map(({ segments, rule, message: words }) => ({
    reason: "RuleViolation",
    place: segments,
    // Names of fields are written as in proto-JSON.
    message: `${rule === "oneof.required" ? camelCase(words) : words} (${rule})`,
  }));
}

/** What Envoy's code says, and what we do not let through. */
function codeFindings({ perRoute, checks, nested }: KnownFilter, message: Message): readonly Finding[] {
  const findings: Finding[] = [];
  const all = [createRegexCheck(), ...sharedChecks, ...checks];
  visitMessages(perRoute, message, (found, place) => {
    const problem = nestedProblem(found, nested);
    if (problem !== undefined)
      findings.push({ reason: "NotSupported", place: fieldAt(place, "@type"), message: problem });
    for (const { typeName, check } of all) {
      if (typeName !== found.$typeName) continue;
      check(found, (fields, words, reason = "RefusedByEnvoy") => {
        findings.push({ reason, place: fields.reduce(fieldAt, place), message: words });
      });
    }
  });
  return findings;
}

/** More than anybody reads, and all of them must find room in a status. */
const maxProblems = 50;

function refuse(findings: readonly Finding[], typedConfig: unknown): ExtensionCheck {
  const problems = findings.slice(0, maxProblems).map(({ reason, place, message }) => ({
    reason,
    path: spellPlace(place, "typedConfig", typedConfig),
    message,
  }));
  const [first] = problems;
  const rest = findings.length - problems.length;
  if (first === undefined || rest === 0) return { kind: "invalid", problems };
  return {
    kind: "invalid",
    problems: [...problems, { reason: first.reason, path: "typedConfig", message: `has ${rest} more problems` }],
  };
}

function notAllowed(filter: string, known: KnownFilter | undefined, allowed: readonly string[]): ExtensionProblem {
  const choice = allowed.filter((name) => knownFilters.has(name)).toSorted();
  const options = choice.length > 0 ? `allowed are ${choice.join(", ")}` : "no filter is allowed";
  const name = JSON.stringify(filter);
  const message =
    known === undefined ? `${name} cannot be used by an HTTPFilter; ${options}` : `${name} is not allowed; ${options}`;
  return { reason: "NotAllowed", path: "filter", message };
}

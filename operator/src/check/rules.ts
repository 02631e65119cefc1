/** What finds problems, by the id that a finding carries. Ids in CamelCase are reasons of conditions: those are not listed here. */
export const rules = {
  file: "The file cannot be read: it is too large, not UTF-8, or not there.",
  yaml: "The text is no YAML or JSON that kubectl would read.",
  "not-an-object": "A document is no Kubernetes object.",
  "duplicate-object": "The object is in the files more than once.",
  "unknown-kind": "The group has no such kind.",
  "unserved-version": "The kind is not served in this version, channel or release of Kubernetes.",
  metadata: "Name, namespace, labels or annotations are not as the API server wants them.",
  "unknown-field": "The schema has no such field; kubectl refuses it.",
  schema: "The value is not what the schema of the kind asks for.",
  cel: "A rule of the schema (x-kubernetes-validations) is broken.",
  "cel-not-judged": "A rule of a CustomResourceDefinition uses what cannot be evaluated without a cluster.",
  crd: "The CustomResourceDefinition cannot be used to check objects.",
  builtin: "What Kubernetes checks of its own kinds beside their schemas.",
  envoy: "Envoy would refuse the configuration.",
  "not-among-files": "An object is referred to that is not in the files; a cluster may have it.",
  "no-effect": "The object is valid and does nothing.",
  "duplicate-match": "The same match stands twice for a host: only one of them is ever used.",
  "shadowed-rule": "Every request that the match takes is taken by another one before.",
  "unmatched-hostname": "A hostname of the route fits no listener that the route is attached to.",
  certificate: "The certificate is not valid at this time, or soon will not be.",
  overlap: "Listeners have hosts in common.",
  "server-refuses": "The cluster refuses an object that is good by what is known here.",
  "server-accepts": "The cluster takes an object that is refused here.",
  "server-not-asked": "The cluster cannot say: the namespace or the kind is not there, or rights are missing.",
  internal: "A fault of Gatewright's own.",
} as const;

/** A key of `rules`, or the reason of a condition that translation sets, such as `BackendNotFound`. */
export type RuleId = keyof typeof rules | Capitalize<string>;

const descriptions: ReadonlyMap<string, string> = new Map(Object.entries(rules));

export const describeRule = (id: RuleId): string =>
  descriptions.get(id) ?? `The reason that the object's status would give: ${id}.`;

/** Reasons of conditions are CamelCase: so the API has it. */
export const ruleOfReason = (reason: string): RuleId => (isReason(reason) ? reason : "no-effect");

const isReason = (text: string): text is Capitalize<string> => /^[A-Z]/.test(text);

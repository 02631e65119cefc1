import { findKindInGroup, groupOf, versionOf } from "@gatewright/crd-types";
import { apiFailure, type ApiResponse, type ApiServer, isSuccess, resourcePath } from "../kubernetes/index.ts";
import { fieldsOf, isFields, textOf } from "../lib/index.ts";
import type { Verdict } from "./check.ts";
import { parsePath, type WrittenObject } from "./documents.ts";
import { arrange, type Finding, type Identity } from "./finding.ts";
import type { RuleId } from "./rules.ts";

/** What is said of an object by itself, as a server says it too; the rest is for translation to know. */
const ofServers: ReadonlySet<RuleId> = new Set([
  "not-an-object",
  "unknown-kind",
  "unserved-version",
  "metadata",
  "unknown-field",
  "schema",
  "cel",
  "builtin",
]);

/** Requests under way at once. */
const maxParallel = 8;

type Resource = { readonly plural: string; readonly isNamespaced: boolean };

/**
 * Asks a cluster for its own verdict of each object, by a server-side apply that changes nothing, and tells where it differs from ours.
 * Rejects with `ApiUnreachableError` where the server does not answer.
 */
export async function compareWithCluster({ objects, findings }: Verdict, api: ApiServer): Promise<readonly Finding[]> {
  const resourceOf = createResources(api);
  const refused = new Set(
    findings
      .filter(({ severity, rule }) => severity === "error" && ofServers.has(rule))
      .map(({ group, kind, namespace, name }) => keyOf({ group, kind, namespace, name })),
  );
  const told: Finding[] = [];
  const queue = objects.filter(({ name }) => name !== "").values();
  const work = async () => {
    for (const object of queue) {
      const response = await ask(object, api, resourceOf);
      told.push(...differences(object, response, refused.has(keyOf(object))));
    }
  };
  await Promise.all(Array.from({ length: maxParallel }, work));
  return arrange(told);
}

const keyOf = ({ group, kind, namespace, name }: Identity): string => [group, kind, namespace, name].join(" ");

/** Undefined: the server does not have the kind. */
async function ask(
  { value, namespace, name }: WrittenObject & Identity,
  api: ApiServer,
  resourceOf: ReturnType<typeof createResources>,
): Promise<ApiResponse | undefined> {
  const apiVersion = textOf(value["apiVersion"]);
  const resource = await resourceOf(apiVersion, textOf(value["kind"]));
  if (resource === undefined) return undefined;
  const { status: _, ...body } = value;
  const at = resource.isNamespaced ? { namespace: namespace === "" ? "default" : namespace } : {};
  return api.request({
    method: "PATCH",
    path: resourcePath({
      group: groupOf(apiVersion),
      version: versionOf(apiVersion),
      plural: resource.plural,
      name,
      ...at,
    }),
    query: { dryRun: "All", fieldManager: "gatewright-check", force: true, fieldValidation: "Strict" },
    contentType: "application/apply-patch+yaml",
    body: { ...body, metadata: { ...fieldsOf(value["metadata"]), ...at } },
  });
}

/** Which resource a kind is, as the server says; each version of a group is asked for once. */
function createResources(api: ApiServer): (apiVersion: string, kind: string) => Promise<Resource | undefined> {
  const known = new Map<string, Promise<ReadonlyMap<string, Resource>>>();

  async function read(apiVersion: string): Promise<ReadonlyMap<string, Resource>> {
    const path = groupOf(apiVersion) === "" ? `/api/${apiVersion}` : `/apis/${apiVersion}`;
    const response = await api.request({ method: "GET", path });
    const { resources } = isSuccess(response) ? fieldsOf(response.body) : {};
    const all = Array.isArray(resources) ? resources.filter(isFields) : [];
    return new Map(
      all
        .filter(({ name }) => !textOf(name).includes("/"))
        .map(({ kind, name, namespaced }) => [
          textOf(kind),
          { plural: textOf(name), isNamespaced: namespaced === true },
        ]),
    );
  }

  return async (apiVersion, kind) => {
    const reading = known.get(apiVersion) ?? read(apiVersion);
    known.set(apiVersion, reading);
    return (await reading).get(kind);
  };
}

function differences(
  object: WrittenObject & Identity,
  response: ApiResponse | undefined,
  isRefusedHere: boolean,
): readonly Finding[] {
  const tell = (severity: Finding["severity"], rule: RuleId, message: string, field = ""): Finding => {
    const { document, path, group, kind, namespace, name } = object;
    const { line, column } = document.locate([...path, ...parsePath(field)]);
    return { severity, file: document.file, line, column, group, kind, namespace, name, field, rule, message };
  };
  if (response === undefined) {
    const isOurs = findKindInGroup(object.group, object.kind) !== undefined;
    if (isRefusedHere) return [];
    const message = `the cluster has no kind ${object.kind} in ${textOf(object.value["apiVersion"])}`;
    return [tell(isOurs ? "error" : "warning", isOurs ? "server-refuses" : "server-not-asked", message)];
  }
  if (isSuccess(response))
    return isRefusedHere ? [tell("warning", "server-accepts", "the cluster takes it, and it is refused here")] : [];
  const reason = notAsked(response);
  if (reason !== undefined) return [tell("warning", "server-not-asked", reason)];
  if (isRefusedHere) return [];
  const causes = [...applyFailures(response.body), ...causesOf(response.body)];
  return causes.length === 0
    ? [tell("error", "server-refuses", apiFailure(response))]
    : causes.map(({ field, message }) => tell("error", "server-refuses", message, field));
}

/** Why an answer says nothing of the object itself. */
function notAsked(response: ApiResponse): string | undefined {
  const { status, body } = response;
  if (applyFailures(body).length > 0) return undefined;
  const message = textOf(fieldsOf(body)["message"]);
  const isOfNamespace = status === 404 && /namespaces? "/.test(message);
  const isOfRights =
    status === 401 ||
    (status === 403 && !/^admission webhook|denied the request|ValidatingAdmissionPolicy/.test(message));
  return isOfNamespace || isOfRights || status === 429 || status >= 500 ? apiFailure(response) : undefined;
}

type Cause = { readonly field: string; readonly message: string };

/** An apply that does not fit the schema is answered with 500, as if it were the server's fault. Several faults stand on lines of their own. */
function applyFailures(body: unknown): readonly Cause[] {
  const message = textOf(fieldsOf(body)["message"]);
  if (!message.startsWith("failed to create typed patch object")) return [];
  return [...message.matchAll(/^(?:.*\): |\s*)\.([^\s:]+): (.+)$/gm)].map(([, field = "", words = ""]) => ({
    field,
    message: words,
  }));
}

function causesOf(body: unknown): readonly Cause[] {
  const { causes } = fieldsOf(fieldsOf(body)["details"]);
  return (Array.isArray(causes) ? causes.filter(isFields) : []).flatMap(({ field, message }): readonly Cause[] =>
    textOf(message) === "" ? [] : [{ field: textOf(field).replace(/^<nil>$/, ""), message: textOf(message) }],
  );
}

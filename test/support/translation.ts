import { kinds } from "@gatewright/crd-types";
import { applyDefaults, unknownFields, validate } from "@gatewright/crd-types/schema";
import { schemas } from "@gatewright/crd-types/schemas";
import { type ExtensionCheck, type Inputs, type Placement, proxyKeyOf } from "../../operator/src/gatewayapi/index.ts";
import type { ProxyState, Refusal, Unavailability } from "../../operator/src/gatewayapi/inputs.ts";
import { createGraph, deepEqual, type Graph, type Source } from "../../operator/src/lib/index.ts";
import { overlaySchemaOf } from "../../operator/src/source/checks/index.ts";
import {
  type Change,
  createStore,
  isStoredKind,
  keyOf,
  storedKindOf,
  storedKinds,
} from "../../operator/src/store/index.ts";
import { parseDocuments } from "./golden.ts";

/** An object as a file has it. */
export type Manifest = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly namespace?: string; readonly name: string; readonly generation?: number };
  readonly [field: string]: unknown;
};

export type World<T> = T & {
  readonly graph: Graph;
  readonly inputs: Inputs;
  readonly placements: Source<Placement>;
  readonly proxyStates: Source<ProxyState>;
  readonly refusedListeners: Source<Refusal>;
  readonly quarantine: Source<Refusal>;
  readonly clock: Source<number>;
  /** By kind. */
  readonly unavailable: Source<Unavailability>;
  /** Takes the objects of a YAML text, or given ones, and settles. */
  readonly apply: (objects: string | readonly Manifest[]) => void;
  /** Takes an object, or takes it out, and does not settle. */
  readonly put: (kind: string, key: string, object: Manifest | undefined) => void;
  /** Takes one out, as `Kind namespace/name`, and settles. */
  readonly remove: (reference: string) => void;
  /** Gives a Gateway an address and a healthy Envoy, and settles. */
  readonly place: (gatewayKey: string, placement?: Partial<Placement>) => void;
};

export const controllerName = "gatewright.dev/gateway-controller";
export const rootNamespace = "gatewright-system";

/** Takes every filter whose configuration does not say `bad`, and keeps the configuration as JSON. */
export const checkExtension: ExtensionCheck = ({ filter, typedConfig }) =>
  JSON.stringify(typedConfig).includes("bad")
    ? { kind: "invalid", problems: [{ reason: "Invalid", path: "typedConfig", message: "is bad" }] }
    : { kind: "valid", config: { typeUrl: filter, value: Buffer.from(JSON.stringify(typedConfig)) } };

/** The inputs of translation as sources of a graph, and on them whatever `build` makes. */
export function createWorld<T extends object>(
  build: (graph: Graph, inputs: Inputs) => T,
  settings: Partial<Inputs["settings"]> = {},
): World<T> {
  const graph = createGraph();
  const store = createStore(graph);
  const sources = {
    placements: graph.source<Placement>("placements"),
    proxyStates: graph.source<ProxyState>("proxyStates", deepEqual),
    refusedListeners: graph.source<Refusal>("refusedListeners", deepEqual),
    quarantine: graph.source<Refusal>("quarantine", deepEqual),
    clock: graph.source<number>("clock"),
    unavailable: graph.source<Unavailability>("unavailable", deepEqual),
  };
  const inputs = { store, checkExtension, settings: { controllerName, rootNamespace, ...settings }, ...sources };
  const built = build(graph, inputs);
  return {
    ...built,
    ...sources,
    graph,
    inputs,
    apply: (objects) => {
      store.apply((typeof objects === "string" ? parseManifests(objects) : objects).map(toChange));
      graph.settle();
    },
    put: (kind, key, object) => store.apply([changeOf(kind, key, object)]),
    remove: (reference) => {
      const [kind = "", key = ""] = reference.split(" ");
      store.apply([changeOf(kind, key, undefined)]);
      graph.settle();
    },
    place: (gatewayKey, placement = {}) => {
      sources.placements.set(proxyKeyOf(gatewayKey), { ...placed("192.0.2.1"), ...placement });
      sources.proxyStates.set(proxyKeyOf(gatewayKey), { kind: "ready" });
      graph.settle();
    },
  };
}

export const placed = (address: string): Placement => ({
  addresses: [{ type: "IPAddress", value: address }],
  bind: (port) => ({ address: "0.0.0.0", port }),
});

/** Objects as the API server would store them. Throws where it would refuse one. */
export const parseManifests = (text: string): readonly Manifest[] =>
  parseDocuments(text)
    .filter((document) => document !== null)
    .map((document) => admit(document));

export function admit(document: unknown): Manifest {
  const object = asManifest(document);
  const name = Object.values(kinds).find(
    ({ kind, apiVersion }) => kind === object.kind && apiVersion === object.apiVersion,
  );
  const schema =
    name && (overlaySchemaFor(name.id, object) ?? Object.entries(schemas).find(([id]) => id === name.id)?.[1]);
  const { generation = 1 } = object.metadata;
  const whole = { ...object, metadata: { ...object.metadata, generation } };
  if (schema === undefined) return whole;
  const defaulted = applyDefaults(schema, whole);
  const problems = [...unknownFields(schema, defaulted), ...validate(schema, defaulted)];
  if (problems.length > 0)
    throw new Error(
      `${object.kind} ${keyOf(object)}: ${problems.map((problem) => JSON.stringify(problem)).join("; ")}`,
    );
  return asManifest(defaulted);
}

const overlaySchemaFor = (kind: string, object: Manifest) =>
  isStoredKind(kind) ? overlaySchemaOf(kind, object) : undefined;

function asManifest(document: unknown): Manifest {
  if (!isManifest(document)) throw new Error(`no object: ${JSON.stringify(document)}`);
  return document;
}

const isManifest = (value: unknown): value is Manifest =>
  typeof value === "object" && value !== null && "apiVersion" in value && "kind" in value && "metadata" in value;

export const toChange = (object: Manifest): Change => {
  if (storedKindOf(object.apiVersion, object.kind) === undefined) throw new Error(`no kind ${object.kind} here`);
  return changeOf(object.kind, keyOf(object), object);
};

function changeOf(kind: string, key: string, object: Manifest | undefined): Change {
  const change = { kind, key, object };
  if (!isChange(change)) throw new Error(`no kind ${kind} here`);
  return change;
}

/** The store tells kinds apart by name; that an object is of its kind, its schema has said. */
const isChange = (change: {
  readonly kind: string;
  readonly key: string;
  readonly object: unknown;
}): change is Change => change.kind in storedKinds;

import assert from "node:assert/strict";
import type { DesiredStatus, Translation } from "../../operator/src/gatewayapi/index.ts";
import { Sensitive, type Table } from "../../operator/src/lib/index.ts";

/** What translation came to, as plain data in a fixed order: empty tables left out, secrets not told. */
export function dumpTranslation({
  ir,
  statuses,
}: Pick<Translation, "ir" | "statuses">): Readonly<Record<string, unknown>> {
  const tables = Object.entries(ir).map(([name, table]): [string, unknown] => [name, dumpTable(table, plain)]);
  return {
    ...Object.fromEntries(tables.filter(([, dumped]) => dumped !== undefined)),
    statuses: dumpTable(statuses, ({ status, generation }) => formatStatus(status, generation)),
  };
}

export function dumpTable<V>(table: Table<V>, dump: (value: V) => unknown = plain): unknown {
  const keys = [...table.keys()].toSorted();
  if (keys.length === 0) return undefined;
  return Object.fromEntries(
    keys.map((key) => {
      const value = table.get(key);
      assert.ok(value !== undefined);
      return [key, dump(value)];
    }),
  );
}

function plain(value: unknown): unknown {
  if (value instanceof Sensitive) return String(value);
  if (value instanceof Set) return [...value].map(String).toSorted();
  if (value instanceof Uint8Array) return Buffer.from(value).toString();
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [key, isCertificates(key, entry) ? countOf(entry) : plain(entry)]),
  );
}

const isCertificates = (key: string, value: unknown): value is string =>
  typeof value === "string" && ["certificateChain", "pem", "authorities"].includes(key);

// Made anew for each run.
const countOf = (chain: string): string => `(${chain.split("-----BEGIN CERTIFICATE-----").length - 1} certificates)`;

const conditionFields = ["message", "observedGeneration", "reason", "status", "type"];

/** Each condition as one line, once it is sure that nothing is lost by that. */
function formatStatus(value: unknown, generation: number): unknown {
  if (Array.isArray(value)) return value.map((entry: unknown) => formatStatus(entry, generation));
  if (typeof value !== "object" || value === null) return value;
  if ("reason" in value) return formatCondition({ ...value }, generation);
  // The same for all classes.
  const entries = Object.entries(value).filter(([key]) => key !== "supportedFeatures");
  return Object.fromEntries(entries.map(([key, entry]) => [key, formatStatus(entry, generation)]));
}

function formatCondition(condition: Readonly<Record<string, unknown>>, generation: number): string {
  assert.deepEqual(Object.keys(condition).toSorted(), conditionFields);
  assert.equal(condition["observedGeneration"], generation);
  const { type, status, reason, message } = condition;
  assert.match(String(reason), /^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/);
  return `${String(type)}=${String(status)} ${String(reason)}${message === "" ? "" : `: ${String(message)}`}`;
}

export type StatusCondition = {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
};

/** All conditions in a status, with the sort of place where they stand: `Gateway`, `Listener`, `HTTPRoute`, … */
export function* conditionsIn({ kind, status }: DesiredStatus): Generator<readonly [string, StatusCondition]> {
  yield* conditionsUnder(status, kind);
}

function* conditionsUnder(value: unknown, place: string): Generator<readonly [string, StatusCondition]> {
  if (Array.isArray(value)) for (const entry of value) yield* conditionsUnder(entry, place);
  else if (typeof value === "object" && value !== null) {
    if (isCondition(value)) yield [place, value];
    else
      for (const [key, entry] of Object.entries(value))
        yield* conditionsUnder(entry, key === "listeners" ? "Listener" : place);
  }
}

const isCondition = (value: object): value is StatusCondition => "reason" in value && "type" in value;

import { deepEqual } from "../../lib/index.ts";
import { type Condition, ownConditionsIn, type PlacedCondition, type Status } from "../merge.ts";
import { faultConditions } from "../own-conditions.ts";

/** What people should know of a status that changed. */
export type Happening = {
  readonly type: "Warning" | "Normal";
  /** What was tried, in one word, as machines read it. */
  readonly action: string;
  readonly reason: string;
  /** At most `maxNoteBytes`. */
  readonly note: string;
};

/** The API takes no more. */
const maxNoteBytes = 1_024;

/** What is only not so yet is no trouble. */
const waitingReasons: ReadonlySet<string> = new Set(["Pending", "AddressNotAssigned", "Waiting"]);

const actions: ReadonlyMap<string, string> = new Map([
  ["Accepted", "Accept"],
  ["AddressesAssigned", "AssignAddresses"],
  ["Programmed", "Program"],
  ["ResolvedRefs", "ResolveReferences"],
]);

/** Our conditions that came to say of a trouble (Warning), or that one is over (Normal). Of several alike, one stands for all. */
export function happeningsIn(
  before: Status | undefined,
  after: Status | undefined,
  controllerName: string,
): readonly Happening[] {
  const were = ownConditionsIn(before, controllerName);
  const are = ownConditionsIn(after, controllerName);
  const wasAt = (now: PlacedCondition) => were.find((then) => isSame(now, then))?.condition;
  const begun = are.flatMap((now) => {
    const then = wasAt(now);
    const isNew = !isTrouble(then) || then.reason !== now.condition.reason;
    return isTrouble(now.condition) && isNew ? [trouble(now)] : [];
  });
  const ended = were.flatMap((then) => {
    if (!isTrouble(then.condition)) return [];
    const now = are.find((candidate) => isSame(candidate, then));
    if (now !== undefined) return isFault(now.condition) ? [] : [recovery(then, now.condition.reason)];
    // A condition that tells of a fault ends by going, if what it was about is still there.
    const isThere = are.some(({ place }) => deepEqual(place, then.place));
    return faultConditions.has(then.condition.type) && isThere ? [recovery(then, then.condition.reason)] : [];
  });
  return gathered([...begun, ...ended]);
}

const isSame = (left: PlacedCondition, right: PlacedCondition): boolean =>
  left.condition.type === right.condition.type && deepEqual(left.place, right.place);

const isFault = ({ type, status }: Condition): boolean => status === (faultConditions.has(type) ? "True" : "False");

const isTrouble = (condition: Condition | undefined): condition is Condition =>
  condition !== undefined && isFault(condition) && !waitingReasons.has(condition.reason ?? "");

function trouble({ place, condition }: PlacedCondition): Happening {
  const { type, status, reason = type, message = "" } = condition;
  const note = `${where(place)}${type} is ${status}${message === "" ? "" : `: ${message}`}`;
  return { type: "Warning", action: actionOf(condition), reason, note };
}

function recovery({ place, condition }: PlacedCondition, reason = condition.type): Happening {
  const { type } = condition;
  const note = `${where(place)}${type} is ${faultConditions.has(type) ? "True no more" : "no longer False"}`;
  return { type: "Normal", action: actionOf(condition), reason, note };
}

const actionOf = ({ type }: Condition): string => actions.get(type) ?? "Translate";

function where(place: unknown): string {
  if (typeof place === "string") return `listener ${place}: `;
  if (typeof place !== "object" || place === null) return "";
  const { namespace, name, sectionName, port } = { ...place } as Readonly<Record<string, unknown>>;
  const parts = [namespace, name, sectionName, port].filter(
    (part) => typeof part === "string" || typeof part === "number",
  );
  return `${parts.join("/")}: `;
}

function gathered(happenings: readonly Happening[]): readonly Happening[] {
  const groups = Map.groupBy(happenings, ({ type, action, reason }) => `${type} ${action} ${reason}`);
  return [...groups.values()].flatMap(([first, ...others]) =>
    first === undefined
      ? []
      : [{ ...first, note: cut(first.note, others.length === 0 ? "" : ` (and ${others.length} more alike)`) }],
  );
}

function cut(text: string, end: string): string {
  const room = maxNoteBytes - Buffer.byteLength(end);
  if (Buffer.byteLength(text) <= room) return `${text}${end}`;
  // Half a character at the cut would come out as something else.
  const short = Buffer.from(text)
    .subarray(0, room - 3)
    .toString("utf8")
    .replace(/\uFFFD+$/, "");
  return `${short}…${end}`;
}

import type { Session } from "./session.ts";

/** Figures by name. Times in ms, sizes in bytes or MiB as the name says. */
export type Figures = Readonly<Record<string, number>>;

/** What a workload works on. */
export type WorkloadRun = {
  readonly session: Session;
  /** Routes that are there, `routeName(0)` and following. */
  readonly routes: number;
  /** How many changes the plan has for this workload, one after the other. */
  readonly changes: (workload: string) => number;
  /** For what goes on for a time of its own. */
  readonly soakMs: number;
  readonly report: (line: string) => void;
  /** Keeps figures. Their name starts with that of the workload, and says of what they are where there are several kinds. */
  readonly record: (name: string, figures: Figures) => Promise<void>;
};

/** Something that is done to an implementation and measured. It leaves the cluster as it found it. */
export type Workload = {
  /** As the command line and the design name it: `W2`. */
  readonly name: string;
  /** What it does, for the usage. */
  readonly title: string;
  /** Why a side has no such thing; undefined where it has. */
  readonly whyNot?: (session: Session) => string | undefined;
  readonly run: (run: WorkloadRun) => Promise<void>;
};

import type { Clock } from "../../lib/index.ts";
import type { History } from "./statuses-history.ts";
import { isNewer, type Observed } from "./statuses-plan.ts";

/** What is known of one object beyond what the store has. */
export type Track = {
  readonly history: History;
  /** Newer than what the watch has shown. */
  ahead?: Observed | undefined;
  /** The version that a conflict has shown to be old: nothing is written upon it. */
  stale?: string | undefined;
  /** The watch is late: the object is to be read. */
  reread?: boolean;
  /** In a row. */
  conflicts: number;
  failures: number;
  /** What could not be written; anything else that is wanted may be tried at once. */
  failed?: unknown;
  /** What the server took and did not keep, as `effectOf` has it: nothing comes of writing it again. */
  ineffective?: string | undefined;
  /** Others' entries left no room, and it was said. */
  crowded?: boolean;
  /** Cancels what it waits for. */
  wait?: (() => void) | undefined;
};

export type Tracks = {
  readonly get: (key: string) => Track | undefined;
  readonly ensure: (key: string) => Track;
  readonly forget: (key: string) => void;
  /** Calls `action` after the delay, in place of whatever the object waits for now. */
  readonly wait: (track: Track, delayMs: number, action: () => void) => void;
  readonly waiting: () => number;
  readonly close: () => void;
};

export function createTracks(clock: Clock, createHistory: () => History): Tracks {
  const tracks = new Map<string, Track>();

  function wait(track: Track, delayMs: number, action: () => void): void {
    track.wait?.();
    track.wait = clock.after(delayMs, () => {
      track.wait = undefined;
      action();
    });
  }

  return {
    get: (key) => tracks.get(key),
    ensure: (key) => {
      const track = tracks.get(key) ?? { history: createHistory(), conflicts: 0, failures: 0 };
      tracks.set(key, track);
      return track;
    },
    forget: (key) => {
      tracks.get(key)?.wait?.();
      tracks.delete(key);
    },
    wait,
    waiting: () => [...tracks.values()].filter((track) => track.wait !== undefined).length,
    close: () => {
      for (const track of tracks.values()) track.wait?.();
      tracks.clear();
    },
  };
}

/** The newest state of an object that we know of. What the watch has caught up with is dropped. */
export function newestOf(track: Track | undefined, seen: Observed): Observed {
  const ahead = track?.ahead;
  if (track === undefined || ahead === undefined) return seen;
  if (ahead.uid === seen.uid && isNewer(ahead.resourceVersion, seen.resourceVersion)) return ahead;
  track.ahead = undefined;
  return seen;
}

import type { Logger } from "../lib/index.ts";

/** Why nothing new is read of a kind at the moment. What was read stays. */
export type Trouble = {
  /**
   * `forbidden`: 403. `missing`: 404, the server has no such kind. `refused`: any other answer. `unreachable`: no whole answer.
   * `failed`: a bug of ours, in taking what was read.
   */
  readonly kind: "forbidden" | "missing" | "refused" | "unreachable" | "failed";
  readonly message: string;
  /** Milliseconds since 1970. */
  readonly since: number;
};

export type Troubles = {
  readonly current: () => Trouble | undefined;
  readonly note: (kind: Trouble["kind"], message: string) => void;
  /** The server answers as it should. */
  readonly settled: () => void;
};

const consequence = "what was read of it stays in effect; trying again";

/** Says trouble once when it begins, and once when it is over. */
export function createTroubles(name: string, logger: Logger, onChange: () => void): Troubles {
  let current: Trouble | undefined;
  return {
    current: () => current,
    note: (kind, message) => {
      const text = kind === "unreachable" ? message : `${name} cannot be read: ${message}; ${consequence}`;
      if (current?.kind === kind) return logger.debug({}, text);
      current = { kind, message, since: Date.now() };
      // That the server is away concerns all, and is said by who speaks to it.
      if (kind === "unreachable") logger.debug({ kind: name }, text);
      else logger.warn({}, text);
      onChange();
    },
    settled: () => {
      if (current === undefined) return;
      const { kind, since } = current;
      current = undefined;
      const fields = { seconds: Math.round((Date.now() - since) / 1_000) };
      if (kind === "unreachable") logger.debug(fields, `${name} is read again`);
      else logger.info(fields, `${name} is read again`);
      onChange();
    },
  };
}

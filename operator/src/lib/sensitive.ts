import { inspect } from "node:util";

/** A value that must not reach a log, a dump or an error message: it prints as `[redacted]` whichever way it is printed. */
export class Sensitive {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** The value itself, for the one place that needs it. */
  reveal(): string {
    return this.#value;
  }

  equals(other: Sensitive): boolean {
    return this.#value === other.#value;
  }

  toString(): string {
    return "[redacted]";
  }

  toJSON(): string {
    return "[redacted]";
  }

  [inspect.custom](): string {
    return "[redacted]";
  }
}

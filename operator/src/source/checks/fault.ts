import { formatPath, type Path } from "@gatewright/crd-types/schema";

/** Why the API server would refuse an object, in its words, or what it would warn of. */
export type Fault = {
  /** Where in the object. */
  readonly path: Path;
  readonly message: string;
  readonly isWarning?: boolean;
};

/** `detail` stands after the path, as in `spec.ports[0].port: Invalid value: 0: must be …`. */
export const faultAt = (path: Path, detail: string): Fault => ({ path, message: `${formatPath(path)}: ${detail}` });

export const required = (path: Path, detail = ""): Fault =>
  faultAt(path, `Required value${detail === "" ? "" : `: ${detail}`}`);

export const invalid = (path: Path, value: unknown, detail: string): Fault =>
  faultAt(path, `Invalid value: ${shown(value)}: ${detail}`);

export const unsupported = (path: Path, value: unknown, supported: readonly string[]): Fault =>
  faultAt(
    path,
    `Unsupported value: ${shown(value)}: supported values: ${supported.map((one) => JSON.stringify(one)).join(", ")}`,
  );

export const duplicate = (path: Path, value: unknown): Fault => faultAt(path, `Duplicate value: ${shown(value)}`);

export const forbidden = (path: Path, detail: string): Fault => faultAt(path, `Forbidden: ${detail}`);

export const tooMany = (path: Path, actual: number, max: number): Fault =>
  faultAt(path, `Too many: ${actual}: must have at most ${max} items`);

export const tooLong = (path: Path, max: number): Fault => faultAt(path, `Too long: may not be more than ${max} bytes`);

/** Messages must not grow with what a stranger wrote. */
const shown = (value: unknown): string => {
  const text = JSON.stringify(value) ?? "null";
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
};

/** Something that a user can put right: shown without a stack. */
export class LabError extends Error {
  override readonly name = "LabError";
}

/** The same for whatever was thrown. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

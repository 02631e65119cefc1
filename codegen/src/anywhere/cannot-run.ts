import { CodegenError } from "../step.ts";

/** Nothing is wrong with what was to be read: it could not be read at all. */
export class CannotRun extends Error {
  override readonly name = "CannotRun";
}

/** Runs what fails only where something is missing on this machine. */
export async function orCannotRun<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof CodegenError ? new CannotRun(error.message) : error;
  }
}

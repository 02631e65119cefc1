/** Something that whoever builds an image can do something about. Its message says what. */
export class ImageError extends Error {
  override readonly name = "ImageError";
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

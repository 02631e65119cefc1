import type { Place, SourceProblem } from "../source/index.ts";
import type { Problem, RowContext } from "./rows.ts";

/** What is wrong with files, in the form in which all problems are shown. */
export const problemsOfFiles = (problems: readonly SourceProblem[]): readonly Problem[] =>
  problems.map(({ severity, file, line, column, object, message }) => ({
    place: [file, line, column].filter((part) => part !== undefined).join(":"),
    ...(object === undefined ? {} : { object }),
    message,
    ...(severity === "warning" ? { isWarning: true } : {}),
  }));

/** `file:line` of objects. */
export const placeIn =
  (source: { readonly place: (kind: string, key: string) => Place | undefined }): RowContext["place"] =>
  (kind, key) => {
    const place = source.place(kind, key);
    return place && `${place.file}:${place.line}`;
  };

/** Who wrote a status besides us, by the object's managedFields: the latest first. */
export function rivalsIn(object: unknown, ownManager: string): readonly string[] {
  const metadata = fieldOf(object, "metadata");
  const managed = fieldOf(metadata, "managedFields");
  if (!Array.isArray(managed)) return [];
  const writers = managed.flatMap((entry: unknown) => {
    const manager = fieldOf(entry, "manager");
    const time = fieldOf(entry, "time");
    return fieldOf(entry, "subresource") === "status" && typeof manager === "string" && manager !== ownManager
      ? [{ manager, time: typeof time === "string" ? time : "" }]
      : [];
  });
  return [...new Set(writers.toSorted((a, b) => (a.time < b.time ? 1 : -1)).map(({ manager }) => manager))];
}

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;

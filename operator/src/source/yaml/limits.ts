/** What is read at all. Beyond these a document is refused: reading it would stop the product or fill its memory. */
export const limits = {
  /** Lists in lists, maps in maps. */
  maxDepth: 100,
  /**
   * Characters of a document that needs the thorough reader (anchors, aliases, tags, folded text, or a fault to be
   * explained), which takes two seconds for a million. Kubernetes takes no object above 1.5 MiB. Plain documents may be as
   * large as a file.
   */
  maxThoroughLength: 1_048_576,
  /** Values that aliases stand for, all their insides counted: beyond this it is an attack or a mistake. */
  maxAliasedValues: 100_000,
} as const;

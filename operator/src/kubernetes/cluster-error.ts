/** Which cluster is meant cannot be told, or not how to speak to it: the settings are wrong, in words for who made them. */
export class ClusterError extends Error {
  override readonly name = "ClusterError";
}

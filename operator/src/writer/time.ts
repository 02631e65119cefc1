/** A time as Kubernetes writes it: RFC 3339, whole seconds. */
export const formatTime = (time: Date): string => time.toISOString().replace(/\.\d+Z$/, "Z");

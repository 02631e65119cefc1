/** A time as Kubernetes writes it: RFC 3339, whole seconds. */
export const formatTime = (time: Date): string => time.toISOString().replace(/\.\d+Z$/, "Z");

/** The same with microseconds, as events and leases want it. */
export const formatMicroTime = (time: Date): string => time.toISOString().replace("Z", "000Z");

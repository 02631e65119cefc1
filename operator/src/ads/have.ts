// What a client has of a resource, as far as we know: a version, or one of these.

/** Nothing, and it does not wait for anything. */
export const lacks: unique symbol = Symbol("lacks");
/** Nothing, and it waits: it must get an answer, if only that there is no such thing. */
export const waits: unique symbol = Symbol("waits");
/** Nothing, and was told that there is nothing; for some types Envoy waits all the same. */
export const told: unique symbol = Symbol("told");
/** Anything: the old or the new. Envoy takes part of a response that it refuses. No version equals it. */
export const uncertain = "";
/** Known only when it has answered to what is under way. */
export const flown: unique symbol = Symbol("flown");

export type Have = string | typeof lacks | typeof waits | typeof told | typeof flown;

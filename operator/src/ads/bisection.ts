import { mentions } from "./refusal-message.ts";
import type { Resource } from "./resource.ts";

/** More names than this in an error tell nothing. */
const maxMentioned = 8;

/** An error text is looked through for names only so far; Envoy cuts it itself. */
const maxText = 8192;

type Doubtful = { readonly resource: Resource; readonly message: string; readonly acceptedBefore: number };

/**
 * Finds which resources of a refused response are bad, by sending parts of it: a response is refused as a whole.
 *
 * Some contents are refused only as long as another is missing (two virtual hosts that exchange a domain, say). So a resource
 * that was refused on its own gets a second try if others were accepted after it.
 */
export class Bisection {
  readonly #queue: (readonly Resource[])[];
  #doubtful: Doubtful[] = [];
  #accepted = 0;
  readonly #retried = new Set<string>();

  constructor(refused: readonly Resource[], message: string, isProven: (resource: Resource) => boolean) {
    this.#queue = firstGroups(refused, message, isProven);
  }

  /** The resources to send next, by name; undefined when the search is over. */
  get group(): readonly Resource[] | undefined {
    return this.#queue[0];
  }

  /** The group was accepted. */
  accepted(): void {
    this.#queue.shift();
    this.#accepted++;
    this.#reconsider();
  }

  /** The group was refused. */
  refused(message: string): void {
    const group = this.#queue.shift() ?? [];
    const [only, ...others] = group;
    if (others.length > 0) this.#queue.unshift(...halves(group));
    else if (only !== undefined) this.#doubtful.push({ resource: only, message, acceptedBefore: this.#accepted });
    this.#reconsider();
  }

  /** Nothing of the group is to be sent any more: its content is of the past. */
  skipped(): void {
    this.#queue.shift();
    this.#reconsider();
  }

  /** What was refused on its own, when the search is over. */
  get culprits(): readonly { readonly resource: Resource; readonly message: string }[] {
    return this.#queue.length === 0 ? this.#doubtful : [];
  }

  #reconsider(): void {
    if (this.#queue.length > 0) return;
    const again = this.#doubtful.find(
      ({ resource, acceptedBefore }) => acceptedBefore < this.#accepted && !this.#retried.has(resource.name),
    );
    if (again === undefined) return;
    this.#retried.add(again.resource.name);
    this.#doubtful = this.#doubtful.filter((one) => one !== again);
    this.#queue.push([again.resource]);
  }
}

function firstGroups(
  refused: readonly Resource[],
  message: string,
  isProven: (resource: Resource) => boolean,
): (readonly Resource[])[] {
  const text = message.slice(0, maxText);
  const named = refused.filter((resource) => mentions(text, resource.name));
  // What the error names comes last and one by one: then a good guess costs two responses.
  if (named.length > 0 && named.length <= maxMentioned && named.length < refused.length)
    return [refused.filter((resource) => !named.includes(resource)), ...named.map((resource) => [resource])];
  const proven = refused.filter(isProven);
  if (proven.length === 0 || proven.length === refused.length) return halves(refused);
  return [proven, ...halves(refused.filter((resource) => !isProven(resource)))];
}

function halves(group: readonly Resource[]): (readonly Resource[])[] {
  if (group.length === 1) return [group];
  const middle = Math.ceil(group.length / 2);
  return [group.slice(0, middle), group.slice(middle)];
}

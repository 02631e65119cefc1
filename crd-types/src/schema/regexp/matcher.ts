import { contains } from "./charset.ts";
import { compileProgram, type Program } from "./program.ts";
import { parsePattern } from "./syntax.ts";

export type Matcher = { readonly test: (text: string) => boolean };

/** All places where the automaton may stand at once, and where it goes from there: made when first needed. */
type State = {
  /** Places that wait for a character. */
  readonly chars: readonly number[];
  readonly accepts: boolean;
  readonly acceptsAtEnd: boolean;
  readonly ascii: (State | undefined)[];
  readonly others: Map<number, State>;
};

// Hostile text can ask for many states; beyond this they are forgotten and made anew.
const maxStates = 1000;
const maxTransitions = 20_000;

/**
 * Compiles a pattern of a CRD. Its meaning is RE2's (Go's), and so is its cost: linear in the text. JavaScript's own
 * expressions try alternatives one after the other: `^[!-~]+([\t ]?[!-~]+)*$`, a pattern of the Gateway API, takes them
 * longer than the age of the universe for a header of 100 letters that ends in an umlaut.
 *
 * @throws PatternError when the pattern is not understood.
 */
export function compilePattern(source: string): Matcher {
  const program = compileProgram(parsePattern(source));
  let states = new Map<string, State>();
  let transitions = 0;

  function stateOf(places: Iterable<number>, atBegin: boolean): State {
    const { chars, ends, accepts } = follow(program, places, atBegin);
    const acceptsAtEnd = accepts || reachesMatchAtEnd(program, ends, atBegin);
    const key = `${accepts}:${acceptsAtEnd}:${chars.join()}`;
    const known = states.get(key);
    if (known !== undefined) return known;
    const state: State = { chars, accepts, acceptsAtEnd, ascii: [], others: new Map() };
    states.set(key, state);
    return state;
  }

  function step(from: State, char: number): State {
    if (states.size > maxStates || transitions > maxTransitions) forget();
    const places = new Set<number>([program.start]);
    for (const place of from.chars) {
      const instruction = program.instructions[place];
      if (instruction?.kind === "char" && contains(instruction.set, char)) places.add(instruction.next);
    }
    const to = stateOf(places, false);
    transitions++;
    if (char < 128) from.ascii[char] = to;
    else from.others.set(char, to);
    return to;
  }

  function forget(): void {
    states = new Map();
    transitions = 0;
    first = stateOf([program.start], true);
  }

  let first: State = stateOf([program.start], true);

  return {
    test: (text) => {
      let state = first;
      for (let index = 0; index < text.length; index++) {
        if (state.accepts) return true;
        const char = text.codePointAt(index) ?? 0;
        if (char > 0xffff) index++;
        state = (char < 128 ? state.ascii[char] : state.others.get(char)) ?? step(state, char);
      }
      return state.acceptsAtEnd;
    },
  };
}

/** Goes wherever the automaton gets without reading a character and without being at the end of the text. */
function follow({ instructions }: Program, places: Iterable<number>, atBegin: boolean) {
  const seen = new Set<number>();
  const chars: number[] = [];
  const ends: number[] = [];
  let accepts = false;
  const waiting = [...places];
  for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
    if (seen.has(place)) continue;
    seen.add(place);
    const instruction = instructions[place];
    if (instruction?.kind === "char") chars.push(place);
    else if (instruction?.kind === "end") ends.push(place);
    else if (instruction?.kind === "match") accepts = true;
    else if (instruction?.kind === "split") waiting.push(...instruction.nexts);
    else if (instruction?.kind === "begin" && atBegin) waiting.push(instruction.next);
  }
  return { chars: chars.sort((a, b) => a - b), ends: ends.sort((a, b) => a - b), accepts };
}

function reachesMatchAtEnd(program: Program, ends: readonly number[], atBegin: boolean): boolean {
  const passed = new Set<number>();
  let open = ends;
  while (open.length > 0) {
    const afterEnd = open.flatMap((place) => {
      passed.add(place);
      const instruction = program.instructions[place];
      return instruction?.kind === "end" ? [instruction.next] : [];
    });
    const { accepts, ends: more } = follow(program, afterEnd, atBegin);
    if (accepts) return true;
    open = more.filter((place) => !passed.has(place));
  }
  return false;
}

import { RegexMatcherSchema } from "@gatewright/crd-types/proto/envoy/type/matcher/v3/regex_pb";
import { maxRegexProgramSize } from "../../ir/index.ts";
import { parseRegex } from "../../lib/index.ts";
import { checkEach, type MessageCheck } from "./visit.ts";

/**
 * Checks the regular expressions of one configuration. Compiling one takes time that grows with its program, so that all
 * programs of a configuration together may not be much larger than one may be.
 */
export function createRegexCheck(): MessageCheck {
  const sizes = new Map<string, number>();
  let left = 2 * maxRegexProgramSize;
  return checkEach(RegexMatcherSchema, ({ regex, engineType }, report) => {
    let size = sizes.get(regex);
    if (size === undefined) {
      if (left < 0) {
        report(["regex"], "is one of too many large regular expressions", "TooLarge");
        return;
      }
      const parsed = parseRegex(regex);
      if (parsed.kind === "invalid") {
        report(["regex"], parsed.message);
        return;
      }
      size = parsed.programSize;
      sizes.set(regex, size);
      left -= size;
    }
    const own = engineType.case === "googleRe2" ? engineType.value.maxProgramSize : undefined;
    const max = Math.min(own ?? maxRegexProgramSize, maxRegexProgramSize);
    if (size > max) report(["regex"], `needs a program of about ${size} instructions, ${max} are allowed`);
  });
}

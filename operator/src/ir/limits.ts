/**
 * The largest program (in RE2's instructions, as Envoy counts them) of a regular expression in a route. Envoy's own limit of
 * 100 refuses ordinary expressions; its runtime key `re2.max_program_size.error_level` has to be at least this.
 * https://www.envoyproxy.io/docs/envoy/v1.40.0/api-v3/type/matcher/v3/regex.proto
 */
export const maxRegexProgramSize = 10_000;

// What names Kubernetes takes (k8s.io/apimachinery/pkg/util/validation). Each function says what is wrong, in its words.

const label = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const qualified = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;

const longest = (text: string, max: number): readonly string[] =>
  new TextEncoder().encode(text).length > max ? [`must be no more than ${max} bytes`] : [];

export const labelFaults = (text: string): readonly string[] => [
  ...longest(text, 63),
  ...(label.test(text)
    ? []
    : [
        "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
      ]),
];

export const subdomainFaults = (text: string): readonly string[] => [
  ...longest(text, 253),
  ...(subdomain.test(text)
    ? []
    : [
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
      ]),
];

const qualifiedRule =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";

/** Keys of labels and annotations, and what is written like them. */
export function qualifiedNameFaults(text: string): readonly string[] {
  const parts = text.split("/");
  if (parts.length > 2) return [`a valid label key ${qualifiedRule} with an optional DNS subdomain prefix and '/'`];
  const name = parts.at(-1) ?? "";
  const [prefix] = parts.length === 2 ? parts : [];
  return [
    ...(prefix === undefined
      ? []
      : prefix === ""
        ? ["prefix part must be non-empty"]
        : subdomainFaults(prefix).map((fault) => `prefix part ${fault}`)),
    ...(name === "" ? ["name part must be non-empty"] : longest(name, 63).map((fault) => `name part ${fault}`)),
    ...(qualified.test(name) ? [] : [`name part ${qualifiedRule}`]),
  ];
}

export const labelValueFaults = (text: string): readonly string[] => [
  ...longest(text, 63),
  ...(text === "" || qualified.test(text)
    ? []
    : [
        "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
      ]),
];

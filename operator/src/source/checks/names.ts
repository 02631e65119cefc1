// What names Kubernetes takes (k8s.io/apimachinery/pkg/util/validation). Each function says what is wrong, in its words.

const label = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const qualified = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;

const longest = (text: string, max: number): readonly string[] =>
  Buffer.byteLength(text) > max ? [`must be no more than ${max} bytes`] : [];

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

/** Keys in a ConfigMap or a Secret, which become file names. */
export const dataKeyFaults = (text: string): readonly string[] => [
  ...longest(text, 253),
  ...(/^[-._a-zA-Z0-9]+$/.test(text)
    ? []
    : ["a valid config key must consist of alphanumeric characters, '-', '_' or '.'"]),
  ...(text === "." || text === ".." ? [`must not be '${text}'`] : []),
  ...(text.startsWith("..") && text !== ".." ? ["must not start with '..'"] : []),
];

export const portNumberFaults = (port: number): readonly string[] =>
  Number.isInteger(port) && port >= 1 && port <= 65_535 ? [] : ["must be between 1 and 65535, inclusive"];

export const portNameFaults = (text: string): readonly string[] => [
  ...longest(text, 15),
  ...(/^[-a-z0-9]+$/.test(text) ? [] : ["must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)"]),
  ...(/[a-z]/.test(text) ? [] : ["must contain at least one letter (a-z)"]),
  ...(text.includes("--") ? ["must not contain consecutive hyphens"] : []),
  ...(text.startsWith("-") || text.endsWith("-") ? ["must not begin or end with a hyphen"] : []),
];

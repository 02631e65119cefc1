// What names Kubernetes takes (k8s.io/apimachinery/pkg/util/validation). Each function says what is wrong, in its words.

export { labelFaults, labelValueFaults, qualifiedNameFaults, subdomainFaults } from "@gatewright/crd-types/rules";

const longest = (text: string, max: number): readonly string[] =>
  Buffer.byteLength(text) > max ? [`must be no more than ${max} bytes`] : [];

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

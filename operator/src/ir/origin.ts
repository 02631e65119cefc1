/** The object that a piece of configuration comes from: what is named in a status, a log line, or put in quarantine. */
export type Origin = {
  /** For example `HTTPRoute`. */
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** Where in the object, for example `spec.rules[2]`. */
  readonly field?: string;
};

export const formatOrigin = ({ kind, namespace, name, field }: Origin): string =>
  `${kind} ${namespace}/${name}${field === undefined ? "" : ` ${field}`}`;

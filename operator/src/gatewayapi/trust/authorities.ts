import { X509Certificate } from "node:crypto";
import { deepEqual, type Graph, type Table } from "../../lib/index.ts";
import { objectKey, type Store } from "../../store/index.ts";
import { formatKind, listed } from "../messages.ts";
import { formProblem } from "./form.ts";
import { parsePem } from "./pem.ts";
import { type Reading, sourcesOf } from "./sources.ts";

/** A reference to certificates of authorities, whoever states it. */
export type AuthorityRef = {
  readonly group: string;
  readonly kind: string;
  /** Where the object is, for kinds that have namespaces. */
  readonly namespace: string;
  readonly name: string;
};

/** What is wrong with a reference. Who has stated it knows the reason for its own condition. */
export type AuthorityProblem = {
  readonly kind: "unknown-kind" | "not-permitted" | "invalid";
  readonly message: string;
};

/** Whom references come to trust. Good ones count beside bad ones. */
export type Trust = {
  /** In PEM, each certificate once; empty: nobody. */
  readonly bundle: string;
  readonly problems: readonly AuthorityProblem[];
};

export type Authorities = {
  /** `permits` says whether a reference is allowed, and is asked before the object is looked at. */
  readonly resolve: (refs: readonly AuthorityRef[], permits?: (ref: AuthorityRef) => boolean) => Trust;
};

type Usable = { readonly kind: "usable"; readonly certificates: readonly string[] };

/** What one object comes to: its certificates in PEM, or what is wrong with it. */
type AuthorityView = Usable | { readonly kind: "unusable"; readonly message: string };

/** The key by which an object is named for being read. */
export const authorityKey = ({ group, kind, namespace, name }: AuthorityRef): string =>
  `${formatKind({ group, kind })} ${objectKey(namespace, name)}`;

/** `named` are indexes by `authorityKey`: of the objects that somebody refers to. Each is read once, whoever refers to it. */
export function createAuthorities(
  graph: Graph,
  { objects }: Store,
  named: readonly Table<ReadonlySet<string>>[],
): Authorities {
  const sources = sourcesOf(objects);
  const views = graph.derive<AuthorityView>("authorities", {
    keysOf: named,
    compute: (key) => {
      const { kind, namespace, name } = parseAuthorityKey(key);
      const source = sources.get(kind);
      return source && viewOf(source.read(source.keyOf(namespace, name)));
    },
    equal: deepEqual,
  });
  const known = listed([...sources.keys()], " or ");

  function follow(ref: AuthorityRef, permits: (ref: AuthorityRef) => boolean): Usable | AuthorityProblem {
    const source = sources.get(formatKind(ref));
    const what = `${formatKind(ref)} ${source?.keyOf(ref.namespace, ref.name) ?? ref.name}`;
    if (source === undefined) return { kind: "unknown-kind", message: `${what} is no ${known}` };
    // Before all else: whether it exists is none of a stranger's business.
    if (!permits(ref))
      return { kind: "not-permitted", message: `no ReferenceGrant in namespace ${ref.namespace} permits ${what}` };
    const view = views.get(authorityKey(ref)) ?? { kind: "unusable", message: "does not exist" };
    return view.kind === "usable" ? view : { kind: "invalid", message: `${what} ${view.message}` };
  }

  return {
    resolve: (refs, permits = () => true) => {
      const problems: AuthorityProblem[] = [];
      const certificates = new Set<string>();
      for (const ref of refs) {
        const found = follow(ref, permits);
        if (found.kind === "usable") for (const certificate of found.certificates) certificates.add(certificate);
        else problems.push(found);
      }
      return { bundle: [...certificates].join(""), problems };
    },
  };
}

function parseAuthorityKey(key: string): { readonly kind: string; readonly namespace: string; readonly name: string } {
  const blank = key.indexOf(" ");
  const slash = key.indexOf("/", blank);
  return { kind: key.slice(0, blank), namespace: key.slice(blank + 1, slash), name: key.slice(slash + 1) };
}

function viewOf(reading: Reading): AuthorityView {
  if (reading.kind === "missing") return { kind: "unusable", message: reading.message };
  const { text, field } = reading;
  const certificates = readCertificates(text);
  if (certificates === undefined) return { kind: "unusable", message: `has no certificates in PEM in ${field}` };
  for (const [index, certificate] of certificates.entries()) {
    const problem = formProblem(certificate);
    if (problem !== undefined)
      return { kind: "unusable", message: `has in ${field} certificate ${index + 1}, which ${problem}` };
  }
  // Written anew, so that Envoy reads nothing that was not read here.
  return { kind: "usable", certificates: certificates.map(String) };
}

/** Undefined: there is none, or one of them cannot be read. */
function readCertificates(text: string): readonly X509Certificate[] | undefined {
  const blocks = parsePem(text)?.filter(({ label }) => label === "CERTIFICATE") ?? [];
  try {
    return blocks.length === 0 ? undefined : blocks.map((block) => new X509Certificate(block.text));
  } catch {
    return undefined;
  }
}

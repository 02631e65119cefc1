// Certificates made on the spot, so that no key and no date of expiry is kept in the repository.
// DER by hand: node:crypto reads certificates but makes none. https://www.rfc-editor.org/rfc/rfc5280#section-4.1
import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";

export type KeyKind =
  | { readonly kind: "ec"; readonly curve: string }
  | { readonly kind: "rsa"; readonly bits: number }
  | { readonly kind: "ed25519" | "ed448" };

export type CertificateOptions = {
  /** The first is the subject's common name; all are subject alternative names. */
  readonly dnsNames: readonly [string, ...string[]];
  /** IPv4 addresses that are subject alternative names as well. */
  readonly addresses?: readonly string[];
  /** May it issue others? Set where the other side insists: most only look at who has signed. */
  readonly authority?: boolean;
  /** Subject alternative names of that kind. */
  readonly uris?: readonly string[];
  /** P-256 unless given. */
  readonly key?: KeyKind;
  /** Now minus one day unless given. */
  readonly notBefore?: Date;
  /** Now plus one year unless given. */
  readonly notAfter?: Date;
  /** Self-signed unless given. */
  readonly issuer?: Certificate;
};

export type Certificate = {
  readonly commonName: string;
  /** PEM, this certificate alone. */
  readonly certificate: string;
  /** PEM, PKCS #8. */
  readonly privateKey: string;
  readonly keys: { readonly publicKey: KeyObject; readonly privateKey: KeyObject };
};

const dayMs = 86_400_000;

export function makeCertificate(options: CertificateOptions): Certificate {
  const keys = generateKeys(options.key ?? { kind: "ec", curve: "P-256" });
  const commonName = options.dnsNames[0];
  const issuer = options.issuer ?? { commonName, keys };
  const algorithm = signatureAlgorithm(issuer.keys.privateKey);
  const toBeSigned = sequence(
    tagged(0xa0, integer([2])),
    integer([1, ...Buffer.from(commonName).subarray(0, 8)]),
    algorithm,
    distinguishedName(issuer.commonName),
    sequence(
      time(options.notBefore ?? new Date(Date.now() - dayMs)),
      time(options.notAfter ?? new Date(Date.now() + 365 * dayMs)),
    ),
    distinguishedName(commonName),
    keys.publicKey.export({ type: "spki", format: "der" }),
    tagged(
      0xa3,
      sequence(subjectAlternativeNames(options), ...(options.authority ? [basicConstraintsOfAuthority] : [])),
    ),
  );
  const signature = sign(digestOf(issuer.keys.privateKey), toBeSigned, issuer.keys.privateKey);
  const der = sequence(toBeSigned, algorithm, tagged(0x03, Buffer.from([0]), signature));
  return {
    commonName,
    certificate: toPem("CERTIFICATE", der),
    privateKey: keys.privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    keys,
  };
}

function generateKeys(key: KeyKind): Certificate["keys"] {
  if (key.kind === "ec") return generateKeyPairSync("ec", { namedCurve: key.curve });
  if (key.kind === "rsa") return generateKeyPairSync("rsa", { modulusLength: key.bits });
  return key.kind === "ed25519" ? generateKeyPairSync("ed25519") : generateKeyPairSync("ed448");
}

const isEdwards = (key: KeyObject): boolean => key.asymmetricKeyType?.startsWith("ed") === true;

// The Edwards algorithms hash by themselves.
const digestOf = (key: KeyObject): string | undefined => (isEdwards(key) ? undefined : "sha256");

function signatureAlgorithm(key: KeyObject): Buffer {
  switch (key.asymmetricKeyType) {
    case "rsa":
      return sequence(objectIdentifier(1, 2, 840, 113549, 1, 1, 11), tagged(0x05));
    case "ec":
      return sequence(objectIdentifier(1, 2, 840, 10045, 4, 3, 2));
    case "ed25519":
      return sequence(objectIdentifier(1, 3, 101, 112));
    case "ed448":
      return sequence(objectIdentifier(1, 3, 101, 113));
    default:
      throw new Error(`no signature algorithm for a key of type ${key.asymmetricKeyType}`);
  }
}

const distinguishedName = (commonName: string): Buffer =>
  sequence(tagged(0x31, sequence(objectIdentifier(2, 5, 4, 3), tagged(0x0c, Buffer.from(commonName)))));

const subjectAlternativeNames = ({ dnsNames, uris = [], addresses = [] }: CertificateOptions): Buffer =>
  sequence(
    objectIdentifier(2, 5, 29, 17),
    tagged(
      0x04,
      sequence(
        ...dnsNames.map((name) => tagged(0x82, Buffer.from(name, "ascii"))),
        ...uris.map((uri) => tagged(0x86, Buffer.from(uri, "ascii"))),
        ...addresses.map((address) => tagged(0x87, Buffer.from(address.split(".").map(Number)))),
      ),
    ),
  );

/** GeneralizedTime from 2050 on, UTCTime before, as RFC 5280 wants it. */
function time(at: Date): Buffer {
  const digits = at.toISOString().replaceAll(/[-:T]|\.\d+/g, "");
  return at.getUTCFullYear() < 2050 ? tagged(0x17, Buffer.from(digits.slice(2))) : tagged(0x18, Buffer.from(digits));
}

function tagged(tag: number, ...content: readonly Buffer[]): Buffer {
  const body = Buffer.concat(content);
  const length = body.length;
  if (length < 128) return Buffer.concat([Buffer.from([tag, length]), body]);
  const bytes = length < 256 ? [length] : [length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, 128 + bytes.length, ...bytes]), body]);
}

const sequence = (...content: readonly Buffer[]): Buffer => tagged(0x30, ...content);

const integer = (bytes: readonly number[]): Buffer => tagged(0x02, Buffer.from(bytes));

function objectIdentifier(first: number, second: number, ...rest: readonly number[]): Buffer {
  const encode = (part: number): number[] => {
    const digits = [part & 127];
    for (let left = part >> 7; left > 0; left >>= 7) digits.unshift(128 | (left & 127));
    return digits;
  };
  return tagged(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(encode)]));
}

function toPem(label: string, der: Buffer): string {
  const lines = der.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join("\n")}\n-----END ${label}-----\n`;
}

/** Critical, as RFC 5280 wants it. */
const basicConstraintsOfAuthority: Buffer = sequence(
  objectIdentifier(2, 5, 29, 19),
  tagged(0x01, Buffer.from([0xff])),
  tagged(0x04, sequence(tagged(0x01, Buffer.from([0xff])))),
);

export type ScalarValue = string | number | boolean | null;

/** What JSON cannot say: `.inf` and `.nan`. */
export class UnsupportedScalar extends Error {
  override readonly name = "UnsupportedScalar";
}

const words: ReadonlyMap<string, boolean | null> = new Map<string, boolean | null>([
  ...["y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"].map((word) => [word, true] as const),
  ...["n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"].map((word) => [word, false] as const),
  ...["", "~", "null", "Null", "NULL"].map((word) => [word, null] as const),
]);

/**
 * What a scalar without quotes means. `kubectl` and the API server read YAML 1.1 as go-yaml does, where `yes` and `on` are
 * true and `0644` is octal; a file must mean the same here and there, so that is followed.
 *
 * @throws UnsupportedScalar
 */
export function resolvePlain(text: string): ScalarValue {
  const first = text.charCodeAt(0);
  // Nearly all scalars begin with a letter that begins no number and no word of the above.
  if (isPlainLetter(first)) return text;
  const word = words.get(text);
  if (word !== undefined) return word;
  if (/^[-+]?\.(?:inf|Inf|INF)$|^\.(?:nan|NaN|NAN)$/.test(text))
    throw new UnsupportedScalar(`${text} is no JSON value`);
  return numberOf(text) ?? text;
}

/** Letters but those of y, n, t, f, o, which begin the words. */
function isPlainLetter(code: number): boolean {
  if (code === 47) return true;
  const lower = code | 0x20;
  if (lower < 97 || lower > 122) return false;
  return lower !== 121 && lower !== 110 && lower !== 116 && lower !== 102 && lower !== 111;
}

function numberOf(text: string): number | undefined {
  if (!/^[-+.0-9]/.test(text) || isTimestamp(text)) return undefined;
  const plain = text.replaceAll("_", "");
  return integerOf(plain) ?? floatOf(plain);
}

function integerOf(text: string): number | undefined {
  const [, sign = "", digits = ""] = /^([-+]?)(.*)$/s.exec(text) ?? [];
  const magnitude = magnitudeOf(digits);
  if (magnitude === undefined) return undefined;
  const negative = sign === "-";
  // Go tries 64 bits with a sign, then without one.
  if (negative ? magnitude > 2n ** 63n : magnitude >= 2n ** (sign === "+" ? 63n : 64n)) return undefined;
  return Number(negative ? -magnitude : magnitude);
}

function magnitudeOf(digits: string): bigint | undefined {
  if (/^(?:0|[1-9][0-9]*)$/.test(digits)) return BigInt(digits);
  if (/^0[xX][0-9a-fA-F]+$/.test(digits) || /^0[oO][0-7]+$/.test(digits) || /^0[bB][01]+$/.test(digits))
    return BigInt(digits.toLowerCase());
  return /^0[0-7]+$/.test(digits) ? BigInt(`0o${digits.slice(1)}`) : undefined;
}

function floatOf(text: string): number | undefined {
  return /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/.test(text) ? finite(Number(text)) : undefined;
}

const finite = (value: number): number | undefined => (Number.isFinite(value) ? value : undefined);

/** Dates stay texts; only that they are not taken for numbers matters. */
const isTimestamp = (text: string): boolean => /^[0-9]{4}-/.test(text);

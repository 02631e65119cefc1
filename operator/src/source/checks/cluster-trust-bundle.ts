import { type Fields, fieldsOf, maxTrustBundleBytes, readTrustBundle, textOf } from "../../lib/index.ts";
import { type Fault, faultAt, invalid, tooLong } from "./fault.ts";
import { labelFaults, subdomainFaults } from "./names.ts";

// https://kubernetes.io/docs/reference/access-authn-authz/certificate-signing-requests/#cluster-trust-bundles

/** A bundle of a signer is named after it: `example.com/signer` has `example.com:signer:v1`. */
export function bundleNameFaults(bundle: Fields): (name: string) => readonly string[] {
  const signer = textOf(fieldsOf(bundle["spec"])["signerName"]);
  if (signer === "")
    return (name) =>
      name.includes(":")
        ? ['ClusterTrustBundle without signer name must not have ":" in its name']
        : subdomainFaults(name);
  const prefix = `${signer.replaceAll("/", ":")}:`;
  return (name) =>
    name.startsWith(prefix)
      ? subdomainFaults(name.slice(prefix.length))
      : [`ClusterTrustBundle for signerName ${signer} must be named with prefix ${prefix}`];
}

/** What the API server asks of a ClusterTrustBundle beyond its schema. */
export function clusterTrustBundleFaults(bundle: Fields): readonly Fault[] {
  const spec = fieldsOf(bundle["spec"]);
  const signer = textOf(spec["signerName"]);
  return [...(signer === "" ? [] : signerFaults(signer)), ...textFaults(textOf(spec["trustBundle"]))];
}

function textFaults(text: string): readonly Fault[] {
  const path = ["spec", "trustBundle"];
  if (Buffer.byteLength(text) > maxTrustBundleBytes) return [tooLong(path, maxTrustBundleBytes)];
  const reading = readTrustBundle(text);
  // The text itself is never shown: somebody may have put a private key into it.
  return reading.kind === "certificates"
    ? []
    : reading.problems.map((problem) => faultAt(path, `Invalid value: "<value omitted>": ${problem}`));
}

function signerFaults(signer: string): readonly Fault[] {
  const path = ["spec", "signerName"];
  const [domain = "", name, ...others] = signer.split("/");
  if (name === undefined || others.length > 0)
    return [invalid(path, signer, "must be a fully qualified domain and path of the form 'example.com/signer-name'")];
  const labels = domain.split(".");
  return [
    ...(domain.length > maxDomain ? [tooLong(path, maxDomain)] : []),
    ...firstFaults(labels, labelFaults).map((fault) => invalid(path, domain, fault)),
    ...(labels.length < 2
      ? [invalid(path, domain, "should be a domain with at least two segments separated by dots")]
      : []),
    ...firstFaults(name.split("."), subdomainFaults).map((fault) => invalid(path, name, fault)),
  ];
}

const maxDomain = 253;

/** Those of the first that has any: the others would say the same again. */
function firstFaults(parts: readonly string[], faultsOf: (part: string) => readonly string[]): readonly string[] {
  for (const part of parts) {
    const faults = faultsOf(part);
    if (faults.length > 0) return faults.map((fault) => `validating label ${JSON.stringify(part)}: ${fault}`);
  }
  return [];
}

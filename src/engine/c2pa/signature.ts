import { constants, verify, X509Certificate } from "node:crypto";
import { encode, Tag } from "cbor2";
import { z } from "zod";
import { sha256Of } from "../../platform/values.ts";
import type { FileManifest } from "../timeline/source.ts";
import { UncheckedError } from "./carriers.ts";
import { sign1Tag } from "./cose.ts";
import { contentOf, decodeCbor, type Manifest } from "./store.ts";

const pss = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST };
const ecdsa = { dsaEncoding: "ieee-p1363" } as const;

/** COSE's algorithms (RFC 9053) that C2PA allows: the type of the key, the hash, and how the signature is written. */
const algorithms: ReadonlyMap<unknown, { readonly key: string; readonly hash: string | null; readonly form: object }> =
  new Map([
    [-7, { key: "ec", hash: "sha256", form: ecdsa }],
    [-35, { key: "ec", hash: "sha384", form: ecdsa }],
    [-36, { key: "ec", hash: "sha512", form: ecdsa }],
    [-37, { key: "rsa", hash: "sha256", form: pss }],
    [-38, { key: "rsa", hash: "sha384", form: pss }],
    [-39, { key: "rsa", hash: "sha512", form: pss }],
    [-8, { key: "ed25519", hash: null, form: {} }],
  ]);

const bytes = z.instanceof(Uint8Array);
const Sign1 = z.tuple([bytes, z.unknown(), z.unknown(), bytes]);
const Chain = z.union([bytes.transform((one) => [one]), z.array(bytes).min(1)]);

const algorithmKey = 1;
const chainKey = 33;

/** The signer of a manifest, by the certificate in it, and whether the signature holds. Trust is not verified. */
export function verifySignature({ signature, claimBytes }: Manifest): {
  readonly signer: NonNullable<FileManifest["signer"]>;
  readonly holds: boolean;
} {
  const value = decodeCbor(contentOf(signature));
  const isTagged = value instanceof Tag && value.tag === sign1Tag;
  const [protectedBytes, unprotectedFields, , signed] = Sign1.parse(isTagged ? value.contents : value);
  const fields = decodeCbor(protectedBytes);
  const [own] = Chain.parse(fieldOf(fields, chainKey) ?? fieldOf(unprotectedFields, chainKey, "x5chain"));
  const certificate = new X509Certificate(own!);
  const algorithm = algorithms.get(fieldOf(fields, algorithmKey));
  const publicKey = unlessUnknown(() => certificate.publicKey);
  if (!algorithm || algorithm.key !== publicKey.asymmetricKeyType?.replace(/-pss$/, ""))
    throw new UncheckedError("The manifest is signed in an unknown way.");
  const payload = encode(["Signature1", protectedBytes, new Uint8Array(), new Uint8Array(claimBytes)]);
  return {
    signer: { subject: certificate.subject.split("\n").join(", "), sha256: sha256Of(certificate.raw) },
    holds: unlessUnknown(() => verify(algorithm.hash, payload, { key: publicKey, ...algorithm.form }, signed)),
  };
}

/** Undefined if this runtime lacks the algorithm, which says nothing about the file: curves differ by runtime. */
function unlessUnknown<Result>(work: () => Result): Result {
  try {
    return work();
  } catch {
    throw new UncheckedError("The signature cannot be verified here.");
  }
}

/** Maps with only string keys are decoded as objects. */
function fieldOf(fields: unknown, ...keys: readonly (number | string)[]): unknown {
  const map = fields instanceof Map ? fields : new Map(Object.entries(fields ?? {}));
  return keys.map((key) => map.get(key)).find((found) => found !== undefined);
}

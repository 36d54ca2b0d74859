import { createPrivateKey, type KeyObject, sign, X509Certificate } from "node:crypto";
import type { Signer } from "../engine/ports.ts";
import { localIdentity, type SigningIdentity } from "./local-certificates.ts";

/** An error of the certificates; other errors concern the key. The message continues the name of the setting. */
export class CertificateError extends Error {
  override readonly name = "CertificateError";
}

/** Throws the end of a sentence if the certificates or the key are invalid, or do not match. */
export function signerOf({ certificates: pem, privateKey }: SigningIdentity, isLocal: boolean): Signer {
  const chain = certificatesIn(pem);
  const [own] = chain;
  if (!own) throw new CertificateError("has no certificate in PEM");
  const key = keyIn(privateKey);
  if (key.asymmetricKeyType !== "ed25519")
    throw new Error("must be an Ed25519 key, so that equal videos are signed alike");
  if (!own.checkPrivateKey(key)) throw new Error("is not the key of the first certificate");
  return {
    // verifiers already have the roots that they trust
    certificates: chain.filter(({ subject, issuer }, index) => index === 0 || subject !== issuer).map(({ raw }) => raw),
    isLocal,
    subject: own.subject.split("\n").join(", "),
    sign: (bytes) => sign(null, bytes, key),
  };
}

function certificatesIn(pem: string): readonly X509Certificate[] {
  const found = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  try {
    return found.map((text) => new X509Certificate(text));
  } catch (cause) {
    throw new CertificateError("has a certificate that is damaged", { cause });
  }
}

function keyIn(pem: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch (cause) {
    throw new Error("is no private key in PEM", { cause });
  }
}

/** The signer of an installation: equal in all processes with one secret, across restarts and moves of its data. */
export const localSigner = (secret: string): Signer => signerOf(localIdentity(secret), true);

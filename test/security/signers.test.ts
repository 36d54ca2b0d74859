import { expect, test } from "bun:test";
import { createPublicKey, generateKeyPairSync, verify, X509Certificate } from "node:crypto";
import { localIdentity } from "../../src/security/local-certificates.ts";
import { localSigner, signerOf } from "../../src/security/signers.ts";

const secret = "a secret of 32 bytes that only tests know";

test("one secret gives one signer, whose certificate its own authority has issued", () => {
  const [one, same, other] = [secret, secret, `${secret}!`].map(localSigner);
  expect(one!.certificates).toEqual(same!.certificates);
  expect(one!.certificates).not.toEqual(other!.certificates);
  const [leaf, root] = localIdentity(secret)
    .certificates.split(/(?<=-----END CERTIFICATE-----\n)/)
    .map((pem) => new X509Certificate(pem));
  expect([leaf!.ca, root!.ca]).toEqual([false, true]);
  expect(leaf!.verify(root!.publicKey) && root!.verify(root!.publicKey)).toBe(true);
  const bytes = Buffer.from("a claim");
  expect(
    verify(null, bytes, createPublicKey(leaf!.publicKey.export({ type: "spki", format: "pem" })), one!.sign(bytes)),
  ).toBe(true);
});

const pem = (type: "ed25519" | "ec") => {
  const pair = type === "ec" ? generateKeyPairSync("ec", { namedCurve: "P-256" }) : generateKeyPairSync("ed25519");
  return pair.privateKey.export({ type: "pkcs8", format: "pem" }).toString();
};

test.each([
  ["no certificate", "nothing", pem("ed25519"), "has no certificate in PEM"],
  ["a damaged certificate", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----", pem("ed25519"), "damaged"],
  ["no key", localIdentity(secret).certificates, "nothing", "is no private key in PEM"],
  ["a key of another kind", localIdentity(secret).certificates, pem("ec"), "must be an Ed25519 key"],
  ["the key of another certificate", localIdentity(secret).certificates, pem("ed25519"), "is not the key"],
])("%s is refused", (_, certificates, privateKey, message) => {
  expect(() => signerOf({ certificates, privateKey }, false)).toThrow(message);
});

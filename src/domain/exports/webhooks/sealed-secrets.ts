import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

/** Keeps a caller's secret that must be used later, so that the database alone tells nobody what it is. */
export type SecretBox = {
  seal(secret: string): string;
  /** Undefined when it was sealed under another key, or changed since. */
  open(sealed: string): string | undefined;
};

const cipher = "aes-256-gcm";
const [ivBytes, tagBytes] = [12, 16];

/** Sealed under a key made from `secret`, which every process of the service must share. */
export function secretBox(secret: string): SecretBox {
  // not the secret itself: what proves a login must not be good for anything else
  const key = new Uint8Array(hkdfSync("sha256", secret, "", "webhook secrets", 32));
  return {
    seal(text) {
      const iv = randomBytes(ivBytes);
      const sealing = createCipheriv(cipher, key, iv, { authTagLength: tagBytes });
      const sealed = [sealing.update(text, "utf8"), sealing.final()];
      return Buffer.concat([iv, sealing.getAuthTag(), ...sealed]).toString("base64url");
    },

    open(sealed) {
      const bytes = Buffer.from(sealed, "base64url");
      const [iv, tag] = [bytes.subarray(0, ivBytes), bytes.subarray(ivBytes, ivBytes + tagBytes)];
      try {
        const opening = createDecipheriv(cipher, key, iv, { authTagLength: tagBytes }).setAuthTag(tag);
        return Buffer.concat([opening.update(bytes.subarray(ivBytes + tagBytes)), opening.final()]).toString("utf8");
      } catch {
        return undefined;
      }
    },
  };
}

import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import type { SecretBox } from "../domain/accounts/secrets.ts";

const cipher = "aes-256-gcm";
const ivBytes = 12;
const tagBytes = 16;

/**
 * AES-256-GCM with a key derived from `secret`, which every process of the service must share.
 * A sealed secret is base64url of the IV, the authentication tag and the ciphertext.
 */
export function secretBox(secret: string, label = "webhook secrets"): SecretBox {
  // a separate key for each label, because `secret` also signs access tokens
  const key = new Uint8Array(hkdfSync("sha256", secret, "", label, 32));
  return {
    seal(text, boundTo = "") {
      const iv = randomBytes(ivBytes);
      const encryption = createCipheriv(cipher, key, iv, { authTagLength: tagBytes }).setAAD(Buffer.from(boundTo));
      const ciphertext = [encryption.update(text, "utf8"), encryption.final()];
      return Buffer.concat([iv, encryption.getAuthTag(), ...ciphertext]).toString("base64url");
    },

    open(sealed, boundTo = "") {
      const bytes = Buffer.from(sealed, "base64url");
      const iv = bytes.subarray(0, ivBytes);
      const tag = bytes.subarray(ivBytes, ivBytes + tagBytes);
      const ciphertext = bytes.subarray(ivBytes + tagBytes);
      try {
        const decryption = createDecipheriv(cipher, key, iv, { authTagLength: tagBytes })
          .setAAD(Buffer.from(boundTo))
          .setAuthTag(tag);
        return Buffer.concat([decryption.update(ciphertext), decryption.final()]).toString("utf8");
      } catch {
        return undefined;
      }
    },
  };
}

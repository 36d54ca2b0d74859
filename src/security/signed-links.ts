import { createHmac, timingSafeEqual } from "node:crypto";
import type { SignedLinks } from "../domain/files/internal-urls.ts";

/** HMAC-SHA256 with a key derived from `secret`, which every process of the service must share. */
export function hmacSignedLinks(secret: string): SignedLinks {
  // a separate key, because `secret` also signs access tokens
  const key = createHmac("sha256", secret).update("media links").digest();
  const signatureOf = (mediaId: string, expires: string) =>
    createHmac("sha256", key).update(`${mediaId}\n${expires}`).digest("base64url");

  return {
    sign(mediaId, expiresAt) {
      const expires = `${expiresAt}`;
      return { expires, signature: signatureOf(mediaId, expires) };
    },

    verify(mediaId, { expires = "", signature = "" }, now = Date.now()) {
      const received = Buffer.from(signature);
      const expected = Buffer.from(signatureOf(mediaId, expires));
      return (
        /^\d{1,15}$/.test(expires) &&
        Number(expires) > now &&
        received.length === expected.length &&
        timingSafeEqual(received, expected)
      );
    },
  };
}

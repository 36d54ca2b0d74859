import { createHmac, timingSafeEqual } from "node:crypto";

/** Addresses that carry their own permission: whoever has one may read what it names until it expires. */
export type SignedLinks = {
  /** Relative: `/api/media/<id>?expires=…&signature=…`. */
  urlOf(mediaId: string, expiresAt: number): string;
  /** Whether the query of such an address is ours, and still good. */
  isGood(mediaId: string, query: { readonly expires?: string; readonly signature?: string }, now?: number): boolean;
};

/** Signed with HMAC-SHA256 under a key made from `secret`, which every process of the service must share. */
export function hmacSignedLinks(secret: string): SignedLinks {
  // not the secret itself: a signature of one kind must never be good as one of another
  const key = createHmac("sha256", secret).update("media links").digest();
  const signatureOf = (mediaId: string, expires: string) =>
    createHmac("sha256", key).update(`${mediaId}\n${expires}`).digest("base64url");

  return {
    urlOf(mediaId, expiresAt) {
      return `/api/media/${mediaId}?expires=${expiresAt}&signature=${signatureOf(mediaId, `${expiresAt}`)}`;
    },

    isGood(mediaId, { expires = "", signature = "" }, now = Date.now()) {
      const [given, right] = [Buffer.from(signature), Buffer.from(signatureOf(mediaId, expires))];
      return (
        /^\d{1,15}$/.test(expires) &&
        Number(expires) > now &&
        given.length === right.length &&
        timingSafeEqual(given, right)
      );
    },
  };
}

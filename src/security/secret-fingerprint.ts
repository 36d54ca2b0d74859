import { createHmac } from "node:crypto";

/** Equal for equal secrets. Reveals nothing about a secret of 32 bytes. */
export const secretFingerprint = (secret: string): string =>
  createHmac("sha256", secret).update("fingerprint").digest("hex").slice(0, 32);

import { createHmac } from "node:crypto";

/** Equal for equal secrets. Nothing of a secret of 32 bytes can be found from it. */
export const secretFingerprint = (secret: string): string =>
  createHmac("sha256", secret).update("fingerprint").digest("hex").slice(0, 32);

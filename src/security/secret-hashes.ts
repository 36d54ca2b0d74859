import { createHmac } from "node:crypto";

/** Returns equal marks for equal networks. Without the secret, trying all networks does not reveal one. */
export function networkMarks(secret: string): (network: string) => string {
  const key = createHmac("sha256", secret).update("registration networks").digest();
  return (network) => createHmac("sha256", key).update(network).digest("base64url").slice(0, 22);
}

/** Equal for equal secrets. Reveals nothing about a secret of 32 bytes. */
export const secretFingerprint = (secret: string): string =>
  createHmac("sha256", secret).update("fingerprint").digest("hex").slice(0, 32);

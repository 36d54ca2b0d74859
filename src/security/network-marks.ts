import { createHmac } from "node:crypto";

/** Equal for equal networks. Without the secret, the network is not found by trying all of them. */
export function networkMarks(secret: string): (network: string) => string {
  const key = createHmac("sha256", secret).update("registration networks").digest();
  return (network) => createHmac("sha256", key).update(network).digest("base64url").slice(0, 22);
}

import type { Signer } from "../../engine/ports.ts";
import { sha256Of } from "../../platform/values.ts";

/** SHA-256 of the signer's own certificate, in hexadecimal digits. */
export const certificateHash = ({ certificates: [own] }: Signer): string =>
  // safe because a signer has a certificate
  sha256Of(own!);

import { sha256Of } from "../../platform/sha256.ts";

/** Signs the provenance of videos. The same bytes get the same signature. */
export type Signer = {
  /** DER, the signer's own first, without the root. */
  readonly certificates: readonly Uint8Array[];
  /** Made by this installation itself: verifiers know nobody who vouches for it. */
  readonly isLocal: boolean;
  /** Of the signer, for people. */
  readonly subject: string;
  /** Ed25519: 64 bytes. */
  sign(bytes: Uint8Array): Uint8Array;
};

/** SHA-256 of the signer's own certificate, in hexadecimal digits. */
export const certificateHash = ({ certificates: [own] }: Signer): string =>
  // safe because a signer has a certificate
  sha256Of(own!);

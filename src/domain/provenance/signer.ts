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

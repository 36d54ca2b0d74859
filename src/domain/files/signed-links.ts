export type SignedQuery = { readonly expires?: string; readonly signature?: string };

/** Signatures that let anyone who has the URL of a generated medium read it until it expires. */
export type SignedLinks = {
  /** `expiresAt` is in milliseconds since the epoch. */
  sign(mediaId: string, expiresAt: number): Required<SignedQuery>;
  /** True if this service signed the query for this medium and it has not expired. */
  verify(mediaId: string, query: SignedQuery, now?: number): boolean;
};

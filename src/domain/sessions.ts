/** One refresh token; those that follow from each other are a family. Only the hash of the secret is stored. */
export type RefreshToken = {
  readonly hash: string;
  readonly familyId: string;
  readonly userId: string;
  readonly expiresAt: number;
  readonly createdAt: number;
};

export type RefreshTokenStore = {
  add(token: RefreshToken): Promise<void>;
  /**
   * Marks a token as used, once: of many callers one gets "first". A repeat tells when the first use was;
   * undefined for a token that is unknown, expired or of a revoked family.
   */
  use(
    hash: string,
    now: number,
  ): Promise<{ readonly token: RefreshToken; readonly use: "first" | { readonly firstUsedAt: number } } | undefined>;
  revokeFamily(familyId: string, now: number): Promise<void>;
  /** Ends the family of this token, used or not; an unknown one changes nothing. */
  revokeByHash(hash: string, now: number): Promise<void>;
  removeExpired(now: number): Promise<void>;
};

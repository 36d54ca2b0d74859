/** A login of a user, with all its refreshes. It ends at logout, and when a used refresh token is reused. */
export type Session = { readonly userId: string; readonly sessionId: string };

/** `expiresAt` is in milliseconds since the Unix epoch. */
export type AccessToken = { readonly token: string; readonly expiresAt: number };

export type AccessTokens = {
  issue(userId: string, sessionId: string): Promise<AccessToken>;
  /** Returns the session that the token was issued for; it may have ended since. Throws invalid_token. */
  verify(token: string): Promise<Session>;
};

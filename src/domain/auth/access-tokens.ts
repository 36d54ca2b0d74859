/** Short-lived tokens that authenticate a logged-in user. */
export type AccessTokens = {
  issue(userId: string): Promise<string>;
  /** Returns the id of the user that the token was issued to. Throws invalid_token. */
  verify(token: string): Promise<string>;
};

import { DomainError } from "../../errors.ts";
import type { AccessTokens } from "./access-tokens.ts";
import { newSecret, secretHash } from "./secrets.ts";

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

export type TokenPair = { readonly accessToken: string; readonly refreshToken: string };

type Sessions = {
  readonly refreshTokens: RefreshTokenStore;
  readonly accessTokens: AccessTokens;
  readonly settings: { readonly refreshTokenTtlSeconds: number };
};

// two tabs of one browser may both refresh with the same token
const graceMilliseconds = 10_000;

export const openSession = (sessions: Sessions, userId: string): Promise<TokenPair> =>
  issuePair(sessions, userId, crypto.randomUUID());

/** Trades a refresh token for a new pair. A token that comes back later was stolen: its whole family ends. */
export async function refreshSession(sessions: Sessions, refreshToken: string): Promise<TokenPair> {
  const now = Date.now();
  const used = await sessions.refreshTokens.use(secretHash(refreshToken), now);
  if (!used) throw new DomainError("invalid_token", {});

  const { token, use } = used;
  if (use !== "first" && now - use.firstUsedAt > graceMilliseconds) {
    await sessions.refreshTokens.revokeFamily(token.familyId, now);
    throw new DomainError("invalid_token", {});
  }
  return issuePair(sessions, token.userId, token.familyId);
}

export const closeSession = ({ refreshTokens }: Pick<Sessions, "refreshTokens">, refreshToken: string): Promise<void> =>
  refreshTokens.revokeByHash(secretHash(refreshToken), Date.now());

async function issuePair(sessions: Sessions, userId: string, familyId: string): Promise<TokenPair> {
  const { refreshTokens, accessTokens, settings } = sessions;
  const refreshToken = newSecret();
  const createdAt = Date.now();
  const expiresAt = createdAt + settings.refreshTokenTtlSeconds * 1000;
  await refreshTokens.add({ hash: secretHash(refreshToken), familyId, userId, expiresAt, createdAt });
  return { accessToken: await accessTokens.issue(userId), refreshToken };
}

import { DomainError } from "../../errors.ts";
import type { AccessTokens } from "./access-tokens.ts";
import { hashSecret, newSecret } from "./secrets.ts";

/** A refresh token. Those of a session form a family, whose id is that of the session. Only their hash is stored. */
export type RefreshToken = {
  readonly hash: string;
  readonly familyId: string;
  readonly userId: string;
  readonly expiresAt: number;
  readonly createdAt: number;
};

export type RefreshTokenStore = {
  /** Adds the token to its family. The family lives until the latest `familyExpiresAt` of its tokens. */
  add(token: RefreshToken, familyExpiresAt: number): Promise<void>;
  /**
   * Marks a token as used. Exactly one of several concurrent calls gets "first"; the others get the time of the first
   * use. Returns undefined if the token is unknown or expired, or its family is revoked.
   */
  markUsed(
    hash: string,
    now: number,
  ): Promise<{ readonly token: RefreshToken; readonly use: "first" | { readonly firstUsedAt: number } } | undefined>;
  revokeFamily(familyId: string, now: number): Promise<void>;
  /** Revokes the family of a token, used or not. Does nothing if the token is unknown. */
  revokeByHash(hash: string, now: number): Promise<void>;
  /** Keeps an unused token as long as its family, so that logout still finds the session of its access token. */
  removeExpired(now: number): Promise<void>;
};

export type TokenPair = { readonly accessToken: string; readonly refreshToken: string };

type SessionPorts = {
  readonly refreshTokens: RefreshTokenStore;
  readonly accessTokens: AccessTokens;
  readonly settings: { readonly refreshTokenTtlSeconds: number };
};

/** Two tabs of one browser may refresh with the same token. */
const reuseGraceMs = 10_000;

export const openSession = (ports: SessionPorts, userId: string): Promise<TokenPair> =>
  issuePair(ports, userId, crypto.randomUUID());

/** True if `openSession` can have created the value. Keeps malformed ids out of queries. */
export const isSessionId = (value: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value);

/**
 * Exchanges a refresh token for a new pair. Throws invalid_token.
 * A reused token counts as stolen: its whole family is revoked.
 */
export async function refreshSession(ports: SessionPorts, refreshToken: string): Promise<TokenPair> {
  const now = Date.now();
  const used = await ports.refreshTokens.markUsed(hashSecret(refreshToken), now);
  if (!used) throw new DomainError("invalid_token", {});

  const { token, use } = used;
  if (use !== "first" && now - use.firstUsedAt > reuseGraceMs) {
    await ports.refreshTokens.revokeFamily(token.familyId, now);
    throw new DomainError("invalid_token", {});
  }
  return issuePair(ports, token.userId, token.familyId);
}

export const closeSession = (
  { refreshTokens }: Pick<SessionPorts, "refreshTokens">,
  refreshToken: string,
): Promise<void> => refreshTokens.revokeByHash(hashSecret(refreshToken), Date.now());

async function issuePair(ports: SessionPorts, userId: string, familyId: string): Promise<TokenPair> {
  const { refreshTokens, accessTokens, settings } = ports;
  const refreshToken = newSecret();
  const createdAt = Date.now();
  const expiresAt = createdAt + settings.refreshTokenTtlSeconds * 1000;
  const access = await accessTokens.issue(userId, familyId);
  const token = { hash: hashSecret(refreshToken), familyId, userId, expiresAt, createdAt };
  await refreshTokens.add(token, Math.max(expiresAt, access.expiresAt));
  return { accessToken: access.token, refreshToken };
}

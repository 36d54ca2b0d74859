import { DomainError } from "../../errors.ts";
import { newId } from "../shared/ids.ts";
import type { AccessTokens, Session } from "./access-tokens.ts";
import type { SessionDetails } from "./active-sessions.ts";
import { hashSecret, newSecret } from "./secrets.ts";
import type { VerifiedUser } from "./users.ts";

/** A refresh token, of which only the hash is stored. The tokens of a session form a family with the session's id. */
export type RefreshToken = {
  readonly hash: string;
  readonly familyId: string;
  readonly userId: string;
  readonly expiresAt: number;
  readonly createdAt: number;
};

/** The most tokens of a family that may be created from a time on. */
export type TokenBound = { readonly since: number; readonly most: number };

export type RefreshTokenStore = {
  /** Adds a session with its first token. False if the user was removed or its password has changed. */
  open(session: SessionDetails, token: RefreshToken, passwordHash: string): Promise<boolean>;
  /** Adds a session without tokens, whose credential is a cookie. False as for `open`. */
  openForCookie(session: SessionDetails, cookieHash: string, passwordHash: string): Promise<boolean>;
  /**
   * Adds a token to its family, which lives at least until `familyExpiresAt`. False if the family is revoked or
   * removed, or already has as many tokens as `bound` allows.
   */
  add(token: RefreshToken, familyExpiresAt: number, bound: TokenBound): Promise<boolean>;
  /**
   * Marks a token as used. Of several concurrent calls exactly one gets "first"; the others get the time of the first
   * use. Returns undefined if the token is unknown or expired, or its family is revoked.
   */
  markUsed(
    hash: string,
    now: number,
  ): Promise<{ readonly token: RefreshToken; readonly use: "first" | { readonly firstUsedAt: number } } | undefined>;
  revokeFamily(familyId: string, now: number): Promise<void>;
  /** Revokes the family of a token, used or not. Does nothing if the token is unknown. */
  revokeByHash(hash: string, now: number): Promise<void>;
  /** Returns the number of removed records. Logout needs an unused token for as long as its family lives. */
  removeExpired(now: number): Promise<number>;
};

type TokenPair = { readonly accessToken: string; readonly refreshToken: string };

type SessionPorts = {
  readonly refreshTokens: RefreshTokenStore;
  readonly accessTokens: AccessTokens;
  readonly settings: { readonly refreshTokenTtlSeconds: number };
};

/** Two tabs of one browser may refresh with the same token, and a client may repeat a lost request. */
const reuseGraceMs = 10_000;
const maxPairsInGrace = 3;

const maxUserAgentCharacters = 300;

/** Opens a session of a user whose password was just verified. Throws invalid_credentials if it has changed since. */
export async function openSession(
  ports: SessionPorts,
  { user, passwordHash }: VerifiedUser,
  userAgent: string | undefined,
): Promise<TokenPair> {
  const id = newId("sess");
  const issued = await issuePair(ports, { userId: user.id, sessionId: id });
  const { createdAt } = issued.token;
  const times = { createdAt, lastUsedAt: createdAt, expiresAt: issued.familyExpiresAt };
  const session = { id, userId: user.id, userAgent: shownUserAgent(userAgent), ...times };
  const isOpen = await ports.refreshTokens.open(session, issued.token, passwordHash);
  if (!isOpen) throw new DomainError("invalid_credentials", {});
  return issued.pair;
}

export const cookieSessionSeconds = 30 * 86_400;

/** Like `openSession`, for a page: returns the secret of its cookie, which is not a token and cannot be refreshed. */
export async function openCookieSession(
  { refreshTokens }: Pick<SessionPorts, "refreshTokens">,
  { user, passwordHash }: VerifiedUser,
  userAgent: string | undefined,
): Promise<string> {
  const secret = newSecret();
  const createdAt = Date.now();
  const times = { createdAt, lastUsedAt: createdAt, expiresAt: createdAt + cookieSessionSeconds * 1000 };
  const session = { id: newId("sess"), userId: user.id, userAgent: shownUserAgent(userAgent), ...times };
  const isOpen = await refreshTokens.openForCookie(session, hashSecret(secret), passwordHash);
  if (!isOpen) throw new DomainError("invalid_credentials", {});
  return secret;
}

const shownUserAgent = (userAgent = ""): string | null => userAgent.slice(0, maxUserAgentCharacters) || null;

/** Exchanges a refresh token for a new pair. A reused token counts as stolen: its family is revoked. */
export async function refreshSession(ports: SessionPorts, refreshToken: string): Promise<TokenPair> {
  const now = Date.now();
  const used = await ports.refreshTokens.markUsed(hashSecret(refreshToken), now);
  if (!used) throw new DomainError("invalid_token", {});

  const { token, use } = used;
  if (use !== "first" && now - use.firstUsedAt > reuseGraceMs) {
    await ports.refreshTokens.revokeFamily(token.familyId, now);
    throw new DomainError("invalid_token", {});
  }
  const issued = await issuePair(ports, { userId: token.userId, sessionId: token.familyId });
  const since = use === "first" ? now : use.firstUsedAt;
  const bound = { since, most: maxPairsInGrace };
  const isAdded = await ports.refreshTokens.add(issued.token, issued.familyExpiresAt, bound);
  if (!isAdded) throw new DomainError("invalid_token", {});
  return issued.pair;
}

export const closeSession = (
  { refreshTokens }: Pick<SessionPorts, "refreshTokens">,
  refreshToken: string,
): Promise<void> => refreshTokens.revokeByHash(hashSecret(refreshToken), Date.now());

/** Creates a new pair of tokens, and the stored form of the refresh token. */
async function issuePair({ accessTokens, settings }: Omit<SessionPorts, "refreshTokens">, session: Session) {
  const { userId, sessionId: familyId } = session;
  const refreshToken = newSecret();
  const createdAt = Date.now();
  const expiresAt = createdAt + settings.refreshTokenTtlSeconds * 1000;
  const access = await accessTokens.issue(userId, familyId);
  const token: RefreshToken = { hash: hashSecret(refreshToken), familyId, userId, expiresAt, createdAt };
  const pair: TokenPair = { accessToken: access.token, refreshToken };
  return { pair, token, familyExpiresAt: Math.max(expiresAt, access.expiresAt) };
}

import { createSecretKey, type KeyObject } from "node:crypto";
import { errors, type JWTVerifyOptions, jwtVerify, SignJWT } from "jose";
import type { AccessToken, AccessTokens, Session } from "../domain/accounts/access-tokens.ts";
import { DomainError } from "../errors.ts";

const algorithm = "HS256";
const issuer = "reelwright";
const audience = "reelwright-api";

/** The issuing machine's clock may be ahead of ours; jose rejects a token issued in the future. */
const clockSkewSeconds = 5;

const maxVerified = 10_000;

/**
 * Access tokens as JWTs signed with HS256. Every process of the service must share `secret`.
 *
 * Checks the signature of a token once, as a check costs as much as a query. The end of its session is not known here.
 */
export function jwtAccessTokens({ secret, ttlSeconds }: { secret: string; ttlSeconds: number }): AccessTokens {
  // imported once: jose would import bytes again for each token
  const key = createSecretKey(secret, "utf8");
  const options = {
    algorithms: [algorithm],
    issuer,
    audience,
    requiredClaims: ["exp", "iat", "sub", "sid", "jti"],
    maxTokenAge: ttlSeconds,
    clockTolerance: clockSkewSeconds,
  };

  const verified = recentValues<string, VerifiedToken>(maxVerified);

  return {
    issue: (userId, sessionId) => issueToken({ userId, sessionId }, key, ttlSeconds),
    async verify(token) {
      const { session, expiresAt } = verified.get(token) ?? verified.set(token, await verifyToken(token, key, options));
      if (expiresAt <= Date.now()) throw new DomainError("invalid_token", {});
      return session;
    },
  };
}

async function issueToken({ userId, sessionId }: Session, key: KeyObject, ttlSeconds: number): Promise<AccessToken> {
  const nowSeconds = Math.floor(Date.now() / 1000);
  const expiresSeconds = nowSeconds + ttlSeconds;
  const token = await new SignJWT({ sid: sessionId })
    .setProtectedHeader({ alg: algorithm, typ: "JWT" })
    .setIssuer(issuer)
    .setAudience(audience)
    .setSubject(userId)
    .setJti(crypto.randomUUID())
    .setIssuedAt(nowSeconds)
    .setExpirationTime(expiresSeconds)
    .sign(key);
  return { token, expiresAt: expiresSeconds * 1000 };
}

type Options = JWTVerifyOptions & { readonly maxTokenAge: number };

/** `expiresAt` in milliseconds since the Unix epoch. */
type VerifiedToken = { readonly session: Session; readonly expiresAt: number };

async function verifyToken(token: string, key: KeyObject, options: Options): Promise<VerifiedToken> {
  try {
    const { sub, sid, exp, iat } = (await jwtVerify<{ sid: unknown }>(token, key, options)).payload;
    if (typeof sub !== "string" || typeof sid !== "string") throw new DomainError("invalid_token", {});
    // jose applies clockTolerance to exp too, but a token must not outlive it; safe because the claims are required
    const expiresAt = Math.min(exp!, iat! + options.maxTokenAge) * 1000;
    return { session: { userId: sub, sessionId: sid }, expiresAt };
  } catch (cause) {
    if (cause instanceof errors.JOSEError) throw new DomainError("invalid_token", {}, { cause });
    throw cause;
  }
}

/** The values that were used last. */
type RecentValues<Key, Value> = {
  readonly get: (key: Key) => Value | undefined;
  readonly set: (key: Key, value: Value) => Value;
};

export function recentValues<Key, Value>(size: number): RecentValues<Key, Value> {
  const values = new Map<Key, Value>();
  const set = (key: Key, value: Value): Value => {
    values.delete(key);
    values.set(key, value);
    if (values.size > size) values.delete(values.keys().next().value as Key); // safe because it is not empty
    return value;
  };
  return {
    get(key) {
      const value = values.get(key);
      return value === undefined ? undefined : set(key, value);
    },
    set,
  };
}

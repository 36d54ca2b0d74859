import { createSecretKey, type KeyObject } from "node:crypto";
import { errors, type JWTVerifyOptions, jwtVerify, SignJWT } from "jose";
import { LRUCache } from "lru-cache";
import type { AccessToken, AccessTokens, Session } from "../domain/accounts/access-tokens.ts";
import { DomainError } from "../errors.ts";

const algorithm = "HS256";
const issuer = "reelwright";
const audience = "reelwright-api";

/** The issuing machine's clock may be ahead of ours; jose rejects a token issued in the future. */
const clockSkewSeconds = 5;

const maxVerified = 10_000;

/**
 * Access tokens as JWTs signed with HS256. Every process of the service must share `secret`. Checks each token's
 * signature once, because a check costs as much as a query. Does not know whether its session has ended.
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

  const verified = new LRUCache<string, VerifiedToken>({ max: maxVerified });

  return {
    issue: (userId, sessionId) => issueToken({ userId, sessionId }, key, ttlSeconds),
    async verify(token) {
      const known = verified.get(token) ?? (await verifyToken(token, key, options));
      verified.set(token, known);
      if (known.expiresAt <= Date.now()) throw new DomainError("invalid_token", {});
      return known.session;
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

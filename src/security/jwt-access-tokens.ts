import { createSecretKey, type KeyObject } from "node:crypto";
import { errors, type JWTVerifyOptions, jwtVerify, SignJWT } from "jose";
import type { AccessToken, AccessTokens, Session } from "../domain/auth/access-tokens.ts";
import { DomainError } from "../errors.ts";

const algorithm = "HS256";
const issuer = "reelwright";
const audience = "reelwright-api";

/** The issuing machine's clock may be ahead of ours; jose rejects a token issued in the future. */
const clockSkewSeconds = 5;

/** Access tokens as JWTs signed with HS256. Every process of the service must share `secret`. */
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

  return {
    issue: (userId, sessionId) => issueToken({ userId, sessionId }, key, ttlSeconds),
    verify: (token) => verifyToken(token, key, options),
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

async function verifyToken(token: string, key: KeyObject, options: JWTVerifyOptions): Promise<Session> {
  try {
    const { sub, sid, exp } = (await jwtVerify<{ sid: unknown }>(token, key, options)).payload;
    // jose applies clockTolerance to exp too, but a token must not outlive it; safe because both claims are required
    if (exp! * 1000 <= Date.now()) throw new DomainError("invalid_token", {});
    return { userId: sub!, sessionId: String(sid) };
  } catch (cause) {
    if (cause instanceof errors.JOSEError) throw new DomainError("invalid_token", {}, { cause });
    throw cause;
  }
}

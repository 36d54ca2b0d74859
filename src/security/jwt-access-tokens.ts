import { errors, type JWTVerifyOptions, jwtVerify, SignJWT } from "jose";
import type { AccessTokens } from "../domain/auth/access-tokens.ts";
import { DomainError } from "../errors.ts";

const algorithm = "HS256";
const issuer = "reelwright";
const audience = "reelwright-api";

/** The issuing machine's clock may be ahead of ours; jose rejects a token issued in the future. */
const clockSkewSeconds = 5;

/** Access tokens as JWTs signed with HS256. Every process of the service must share `secret`. */
export function jwtAccessTokens({ secret, ttlSeconds }: { secret: string; ttlSeconds: number }): AccessTokens {
  const key = new TextEncoder().encode(secret);
  const options = {
    algorithms: [algorithm],
    issuer,
    audience,
    requiredClaims: ["exp", "iat", "sub", "jti"],
    maxTokenAge: ttlSeconds,
    clockTolerance: clockSkewSeconds,
  };

  return {
    issue(userId) {
      const nowSeconds = Math.floor(Date.now() / 1000);
      return new SignJWT()
        .setProtectedHeader({ alg: algorithm, typ: "JWT" })
        .setIssuer(issuer)
        .setAudience(audience)
        .setSubject(userId)
        .setJti(crypto.randomUUID())
        .setIssuedAt(nowSeconds)
        .setExpirationTime(nowSeconds + ttlSeconds)
        .sign(key);
    },
    verify: (token) => verifySubject(token, key, options),
  };
}

/** Returns the verified subject: the user id. Throws invalid_token. */
async function verifySubject(token: string, key: Uint8Array, options: JWTVerifyOptions): Promise<string> {
  try {
    const { sub, exp } = (await jwtVerify(token, key, options)).payload;
    // jose applies clockTolerance to exp too, but a token must not outlive it; safe because both claims are required
    if (exp! * 1000 <= Date.now()) throw new DomainError("invalid_token", {});
    return sub!;
  } catch (cause) {
    if (cause instanceof errors.JOSEError) throw new DomainError("invalid_token", {}, { cause });
    throw cause;
  }
}

import { errors, jwtVerify, SignJWT } from "jose";
import { DomainError } from "../errors.ts";

/** The short-lived proof of a login. */
export type AccessTokens = {
  issue(userId: string): Promise<string>;
  /** The id of the user it was issued to; throws invalid_token. */
  verify(token: string): Promise<string>;
};

const algorithm = "HS256";
const issuer = "reelwright";
const audience = "reelwright-api";

// a second machine's clock may be a little behind ours, and a token from its future is refused
const clockSkewSeconds = 5;

export function jwtAccessTokens({ secret, ttlSeconds }: { secret: string; ttlSeconds: number }): AccessTokens {
  const key = new TextEncoder().encode(secret);
  const rules = {
    algorithms: [algorithm],
    issuer,
    audience,
    requiredClaims: ["exp", "iat", "sub", "jti"],
    maxTokenAge: ttlSeconds + clockSkewSeconds,
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
        .setIssuedAt(nowSeconds - clockSkewSeconds)
        .setExpirationTime(nowSeconds + ttlSeconds)
        .sign(key);
    },
    async verify(token) {
      try {
        const { payload } = await jwtVerify(token, key, rules);
        return payload.sub!; // safe because it is among the required claims
      } catch (cause) {
        if (cause instanceof errors.JOSEError) throw new DomainError("invalid_token", {}, { cause });
        throw cause;
      }
    },
  };
}

import { errors, type JWTVerifyOptions, jwtVerify, SignJWT } from "jose";
import { DomainError } from "../../errors.ts";

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

/** Signed with `secret`, which every process of the service must share. */
export function jwtAccessTokens({ secret, ttlSeconds }: { secret: string; ttlSeconds: number }): AccessTokens {
  const key = new TextEncoder().encode(secret);
  const rules = {
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
    verify: (token) => subjectOf(token, key, rules),
  };
}

async function subjectOf(token: string, key: Uint8Array, rules: JWTVerifyOptions): Promise<string> {
  try {
    const { sub, exp } = (await jwtVerify(token, key, rules)).payload;
    // the tolerance is for the clock of issuing, never for a longer life; safe because both claims are required
    if (exp! * 1000 <= Date.now()) throw new DomainError("invalid_token", {});
    return sub!;
  } catch (cause) {
    if (cause instanceof errors.JOSEError) throw new DomainError("invalid_token", {}, { cause });
    throw cause;
  }
}

import { afterEach, expect, setSystemTime, test } from "bun:test";
import { SignJWT } from "jose";
import { jwtAccessTokens } from "../../src/security/jwt-access-tokens.ts";

const secret = "a secret of 32 bytes that only tests know";
const tokens = jwtAccessTokens({ secret, ttlSeconds: 60 });
const session = { userId: "user_1", sessionId: "session 1" };

afterEach(() => void setSystemTime());

const invalid = expect.objectContaining({ code: "invalid_token" });

test("a token names its session each time that it is verified", async () => {
  const { token } = await tokens.issue(session.userId, session.sessionId);

  expect([await tokens.verify(token), await tokens.verify(token)]).toEqual([session, session]);
});

test("a token that was valid is refused from its end on", async () => {
  const { token, expiresAt } = await tokens.issue(session.userId, session.sessionId);

  setSystemTime(expiresAt - 1);
  expect(await tokens.verify(token)).toEqual(session);
  setSystemTime(expiresAt);
  await expect(tokens.verify(token)).rejects.toEqual(invalid);
});

test("a token of a longer lifetime ends after that of this service", async () => {
  const { token } = await jwtAccessTokens({ secret, ttlSeconds: 600 }).issue(session.userId, session.sessionId);

  expect(await tokens.verify(token)).toEqual(session);
  setSystemTime(Date.now() + 61_000);
  await expect(tokens.verify(token)).rejects.toEqual(invalid);
});

test("a token with other content than a verified one, or another signature, is refused", async () => {
  const { token } = await tokens.issue(session.userId, session.sessionId);
  await tokens.verify(token);
  const [head, , signature] = token.split(".");
  const other = Buffer.from(JSON.stringify({ sub: "user_2", sid: "session 1" })).toString("base64url");
  const forged = await jwtAccessTokens({ secret: "another secret of at least 32 bytes", ttlSeconds: 60 }).issue(
    "a",
    "b",
  );

  for (const wrong of [`${head}.${other}.${signature}`, `${token}A`, token.slice(0, -1), forged.token]) {
    await expect(tokens.verify(wrong)).rejects.toEqual(invalid);
  }
});

test("a token of another algorithm is refused", async () => {
  const content = { sid: "session 1" };
  const token = await new SignJWT(content).setProtectedHeader({ alg: "HS512" }).sign(new TextEncoder().encode(secret));

  await expect(tokens.verify(token)).rejects.toEqual(invalid);
});

test.each([
  ["sub as a list", ["user_1"], "session 1"],
  ["sid as an object", "user_1", { toString: 1 }],
  ["sid as a number", "user_1", 5],
])("a signed token with claims of other types is refused: %s", async (_, sub, sid) => {
  const key = new TextEncoder().encode(secret);
  const seconds = Math.floor(Date.now() / 1000);
  const claims = { sid, sub, iss: "reelwright", aud: "reelwright-api", jti: "1", iat: seconds, exp: seconds + 30 };
  // safe because the type of claims is what the test breaks
  const token = await new SignJWT(claims as never).setProtectedHeader({ alg: "HS256" }).sign(key);
  await expect(tokens.verify(token)).rejects.toEqual(invalid);
});

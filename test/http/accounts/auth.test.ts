import { expect, test } from "bun:test";
import { decodeJwt, SignJWT } from "jose";
import { createApp } from "../../../src/app.ts";
import { argonPasswords } from "../../../src/security/argon-passwords.ts";
import { jsonInit, password, sharedService } from "../../support/service.ts";

const service = await sharedService();
const registered = await service.register();

const post = (path: string, body: unknown) => service.request(`/api/auth/${path}`, jsonInit("POST", body));
const me = (token: string) => service.request("/api/auth/me", { headers: { authorization: `Bearer ${token}` } });
const freshEmail = () => `${crypto.randomUUID()}@example.com`;

async function readTokenPair(pending: Response | Promise<Response>) {
  const response = await pending;
  expect(response.status).toBe(200);
  return (await response.json()) as { accessToken: string; refreshToken: string };
}

test("registration returns 201 with the user and two valid tokens", async () => {
  const email = freshEmail();

  const response = await post("register", { email, password, name: "  Ann Example " });

  expect(response.status).toBe(201);
  const { user, accessToken, refreshToken } = await response.json();
  expect(user).toEqual({
    id: expect.stringMatching(/^user_[0-9a-f]{32}$/),
    email,
    name: "Ann Example",
    createdAt: expect.any(Number),
    updatedAt: user.createdAt,
  });
  expect(Math.abs(user.createdAt - Date.now())).toBeLessThan(60_000);
  expect(await (await me(accessToken)).json()).toEqual(user);
  await readTokenPair(post("refresh", { refreshToken }));
});

test("an e-mail address is trimmed and case-insensitive", async () => {
  const email = freshEmail();
  await post("register", { email: `  ${email.toUpperCase()} `, password, name: "Ann" });

  const second = await post("register", { email, password, name: "Ann" });
  expect(second.status).toBe(409);
  expect(await second.json()).toMatchObject({ code: "email_taken" });

  const login = await post("login", { email: ` ${email.toUpperCase()}`, password });
  expect(login.status).toBe(200);
  expect((await login.json()).user.email).toBe(email);
});

test("one of twenty concurrent registrations of an e-mail address succeeds", async () => {
  const email = freshEmail();

  const responses = await Promise.all(
    Array.from({ length: 20 }, () => post("register", { email, password, name: "A" })),
  );

  expect(responses.filter(({ status }) => status === 201)).toHaveLength(1);
  expect(responses.filter(({ status }) => status === 409)).toHaveLength(19);
});

test.each([
  ["eight characters", "12345678", 201],
  ["seven characters", "1234567", 400],
  ["seven emoji (fourteen UTF-16 units)", "🎬".repeat(7), 400],
  ["256 emoji", "🎬".repeat(256), 201],
  ["257 characters", "x".repeat(257), 400],
  ["only spaces", " ".repeat(8), 201],
])("a password of %s", async (_, candidate, status) => {
  const response = await post("register", { email: freshEmail(), password: candidate, name: "Ann" });

  expect(response.status).toBe(status);
  if (status === 400) expect((await response.json()).details[0].path).toBe("password");
});

test("a long password is not truncated", async () => {
  const email = freshEmail();
  const long = "é🎬x".repeat(85);
  await post("register", { email, password: long, name: "Ann" });

  expect((await post("login", { email, password: long })).status).toBe(200);
  expect((await post("login", { email, password: long.slice(0, -1) })).status).toBe(401);
});

test.each([
  ["email", { email: "nobody", password, name: "A" }],
  ["email", { email: `${"x".repeat(250)}@example.com`, password, name: "A" }],
  ["email", { password, name: "A" }],
  ["email", { email: 7, password, name: "A" }],
  ["password", { email: "a@example.com", name: "A" }],
  ["name", { email: "a@example.com", password }],
  ["name", { email: "a@example.com", password, name: "  " }],
  ["name", { email: "a@example.com", password, name: "x".repeat(201) }],
])("a registration with an invalid %s is 400 and names it", async (path, body) => {
  const response = await post("register", body);

  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ code: "validation_error", details: [{ path }] });
});

test("a wrong password and an unknown e-mail address get the same response", async () => {
  const { user } = await service.register();

  const wrong = await post("login", { email: user.email, password: "something else" });
  const unknown = await post("login", { email: freshEmail(), password });

  expect([wrong.status, unknown.status]).toEqual([401, 401]);
  const { requestId: _a, ...first } = await wrong.json();
  const { requestId: _b, ...second } = await unknown.json();
  expect(first).toEqual(second);
  expect(first).toEqual({ error: "Wrong e-mail or password", code: "invalid_credentials" });
});

test("a login without a password is 400", async () => {
  expect((await post("login", { email: "a@example.com" })).status).toBe(400);
});

test("each refresh returns a new pair, also the second use of a token within the grace period", async () => {
  const { refreshToken } = await service.register();

  const second = await readTokenPair(post("refresh", { refreshToken }));
  expect(second.refreshToken).not.toBe(refreshToken);

  const other = await readTokenPair(post("refresh", { refreshToken }));
  expect(new Set([refreshToken, second.refreshToken, other.refreshToken]).size).toBe(3);
  await readTokenPair(post("refresh", { refreshToken: second.refreshToken }));
  await readTokenPair(post("refresh", { refreshToken: other.refreshToken }));
});

test("of twenty concurrent refreshes with one token three succeed, and the session goes on", async () => {
  const { refreshToken } = await service.register();

  const responses = await Promise.all(Array.from({ length: 20 }, () => post("refresh", { refreshToken })));

  const accepted = responses.filter(({ status }) => status === 200);
  const refused = responses.filter(({ status }) => status === 401);
  expect([accepted.length, refused.length]).toEqual([3, 17]);
  expect(await refused[0]!.json()).toMatchObject({ code: "invalid_token" });
  const pairs = await Promise.all(accepted.map((response) => readTokenPair(response)));
  expect(new Set(pairs.map((pair) => pair.refreshToken)).size).toBe(3);
  for (const { refreshToken } of pairs) await readTokenPair(post("refresh", { refreshToken }));
});

test("reuse of a token after the grace period revokes its family only", async () => {
  const email = freshEmail();
  const { refreshToken } = await (await post("register", { email, password, name: "Ann" })).json();
  const otherLogin = await readTokenPair(post("login", { email, password }));
  const second = await readTokenPair(post("refresh", { refreshToken }));
  // advances the clock by eleven seconds
  const realNow = Date.now;
  Date.now = () => realNow() + 11_000;
  const reuse = await Promise.resolve(post("refresh", { refreshToken })).finally(() => {
    Date.now = realNow;
  });

  expect(reuse.status).toBe(401);
  expect(await reuse.json()).toMatchObject({ code: "invalid_token" });
  expect((await post("refresh", { refreshToken: second.refreshToken })).status).toBe(401);
  await readTokenPair(post("refresh", { refreshToken: otherLogin.refreshToken }));
});

test("logout with any token of a family revokes the family", async () => {
  const { refreshToken } = await service.register();
  const second = await readTokenPair(post("refresh", { refreshToken }));

  const loggedOut = await post("logout", { refreshToken });

  expect(loggedOut.status).toBe(204);
  expect(await loggedOut.text()).toBe("");
  expect((await post("refresh", { refreshToken: second.refreshToken })).status).toBe(401);
  expect((await post("refresh", { refreshToken })).status).toBe(401);
});

test("logout with an unknown token succeeds without effect", async () => {
  expect((await post("logout", { refreshToken: "unknown" })).status).toBe(204);
  expect((await post("logout", {})).status).toBe(400);
});

test("an unknown refresh token is invalid", async () => {
  const response = await post("refresh", { refreshToken: "unknown" });

  expect(response.status).toBe(401);
  expect(await response.json()).toMatchObject({ code: "invalid_token" });
  expect(response.headers.get("www-authenticate")).toStartWith("Bearer ");
});

test("passwords and refresh tokens are stored as hashes only", async () => {
  const email = freshEmail();
  // with the cost of hashes that the product has
  const app = createApp({ ...service.services, passwords: argonPasswords() });
  const response = await app.request("/api/auth/register", jsonInit("POST", { email, password, name: "Ann" }));
  const { refreshToken } = await response.json();
  const found = await service.services.users.findByEmail(email);

  expect(found?.passwordHash).toStartWith("$argon2id$v=19$m=19456,t=2,p=1$");
  expect(await service.services.refreshTokens.markUsed(refreshToken, Date.now())).toBeUndefined();
});

const unauthorizedBody = (code: string) => ({
  error: code === "unauthenticated" ? "Authentication required" : "Invalid or expired token",
  code,
  requestId: expect.any(String),
});

test.each([
  ["no header", undefined],
  ["another scheme", "Basic YTpi"],
  ["no token", "Bearer"],
  ["an empty token", "Bearer  "],
  ["two tokens", "Bearer a b"],
  ["characters that a token cannot have", "Bearer abc;def"],
])("%s is 401 unauthenticated", async (_, authorization) => {
  const response = await service.request("/api/auth/me", { headers: authorization ? { authorization } : {} });

  expect(response.status).toBe(401);
  expect(response.headers.get("www-authenticate")).toStartWith("Bearer ");
  expect(await response.json()).toEqual(unauthorizedBody("unauthenticated"));
});

test("the Bearer scheme is case-insensitive (RFC 9110)", async () => {
  const { accessToken } = registered;
  const response = await service.request("/api/auth/me", { headers: { authorization: `bearer ${accessToken}` } });
  expect(response.status).toBe(200);
});

/** An access token of the service, signed again with changes. */
async function forgedToken(change: { alg?: string; key?: string; drop?: string; claims?: Record<string, unknown> }) {
  const { accessToken } = registered;
  const claims: Record<string, unknown> = { ...decodeJwt(accessToken), ...change.claims };
  if (change.drop) delete claims[change.drop];
  const key = new TextEncoder().encode(change.key ?? "a secret of 32 bytes that only tests know");
  return new SignJWT(claims).setProtectedHeader({ alg: change.alg ?? "HS256" }).sign(key);
}

const now = () => Math.floor(Date.now() / 1000);

test("an access token has its issue time and lives for seven days", async () => {
  const from = now();
  const { iat, exp } = decodeJwt((await service.register()).accessToken);
  expect(iat).toBeWithin(from, now() + 1);
  expect(exp! - iat!).toBe(604_800);
});

test("a token whose issue time is a few seconds ahead is accepted", async () => {
  expect((await me(await forgedToken({ claims: { iat: now() + 3 } }))).status).toBe(200);
});

test("a token signed with the service's secret and claims is accepted", async () => {
  expect((await me(await forgedToken({}))).status).toBe(200);
});

test.each([
  ["another secret", { key: "a secret of somebody else" }],
  ["another algorithm", { alg: "HS512" }],
  ["another issuer", { claims: { iss: "somebody" } }],
  ["another audience", { claims: { aud: "something" } }],
  ["no expiry", { drop: "exp" }],
  ["no issue time", { drop: "iat" }],
  ["no token id", { drop: "jti" }],
  ["no subject", { drop: "sub" }],
  ["no session", { drop: "sid" }],
  ["an expiry in the past", { claims: { exp: now() - 1 } }],
  ["an issue time in the future", { claims: { iat: now() + 60 } }],
  ["an expiry of centuries and an old issue time", { claims: { exp: 1e15, iat: now() - 2 * 604_800 } }],
  ["a user that does not exist", { claims: { sub: `user_${"0".repeat(32)}` } }],
  ["a subject that is not an id", { claims: { sub: "x\u0000y" } }],
  ["a session that does not exist", { claims: { sid: crypto.randomUUID() } }],
  ["a session that is not an id", { claims: { sid: "x\u0000y" } }],
  ["a session that is not a text", { claims: { sid: 7 } }],
])("a token with %s is 401 invalid_token", async (_, change) => {
  const response = await me(await forgedToken(change));

  expect(response.status).toBe(401);
  expect(response.headers.get("www-authenticate")).toContain('error="invalid_token"');
  expect(await response.json()).toEqual(unauthorizedBody("invalid_token"));
});

test.each(["abc", "rw_abc", "eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0."])(
  "the malformed token %s is invalid",
  async (token) => {
    const response = await me(token);
    expect(response.status).toBe(401);
    expect(await response.json()).toEqual(unauthorizedBody("invalid_token"));
  },
);

test("an access token in the query is not accepted", async () => {
  const { accessToken } = registered;
  expect((await service.request(`/api/auth/me?token=${accessToken}`)).status).toBe(401);
});

test("responses with tokens are not cacheable", async () => {
  const response = await post("register", { email: freshEmail(), password, name: "Ann" });
  expect(response.headers.get("cache-control")).toBe("no-store");
});

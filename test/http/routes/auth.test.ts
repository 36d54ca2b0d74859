import { afterAll, expect, test } from "bun:test";
import { decodeJwt, SignJWT } from "jose";
import { jsonInit, password, testService } from "../../helpers/service.ts";

const service = await testService();
afterAll(() => service.close());

const post = (path: string, body: unknown) => service.request(`/api/auth/${path}`, jsonInit("POST", body));
const me = (token: string) => service.request("/api/auth/me", { headers: { authorization: `Bearer ${token}` } });
const freshEmail = () => `${crypto.randomUUID()}@example.com`;

async function pairFrom(answer: Response | Promise<Response>) {
  const response = await answer;
  expect(response.status).toBe(200);
  return (await response.json()) as { accessToken: string; refreshToken: string };
}

test("registering answers 201 with the user and a pair of tokens that work", async () => {
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
  await pairFrom(post("refresh", { refreshToken }));
});

test("an e-mail is trimmed and counts in any case", async () => {
  const email = freshEmail();
  await post("register", { email: `  ${email.toUpperCase()} `, password, name: "Ann" });

  const again = await post("register", { email, password, name: "Ann" });
  expect(again.status).toBe(409);
  expect(await again.json()).toMatchObject({ code: "email_taken" });

  const login = await post("login", { email: ` ${email.toUpperCase()}`, password });
  expect(login.status).toBe(200);
  expect((await login.json()).user.email).toBe(email);
});

test("of twenty who register one e-mail at once, one gets it", async () => {
  const email = freshEmail();

  const answers = await Promise.all(Array.from({ length: 20 }, () => post("register", { email, password, name: "A" })));

  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
  expect(answers.filter(({ status }) => status === 409)).toHaveLength(19);
});

test.each([
  ["eight characters", "12345678", 201],
  ["seven characters", "1234567", 400],
  ["seven emoji, though they are fourteen UTF-16 units", "🎬".repeat(7), 400],
  ["256 emoji", "🎬".repeat(256), 201],
  ["257 characters", "x".repeat(257), 400],
  ["spaces alone", " ".repeat(8), 201],
])("a password of %s", async (_, candidate, status) => {
  const response = await post("register", { email: freshEmail(), password: candidate, name: "Ann" });

  expect(response.status).toBe(status);
  if (status === 400) expect((await response.json()).details[0].path).toBe("password");
});

test("no part of a long password is cut off", async () => {
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
])("a registration with a bad %s is 400 and names it", async (path, body) => {
  const response = await post("register", body);

  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ code: "validation_error", details: [{ path }] });
});

test("a wrong password and an unknown e-mail get the same answer", async () => {
  const { user } = await service.register();

  const wrong = await post("login", { email: user.email, password: "something else" });
  const unknown = await post("login", { email: freshEmail(), password });

  expect([wrong.status, unknown.status]).toEqual([401, 401]);
  const [{ requestId: _a, ...first }, { requestId: _b, ...second }] = [await wrong.json(), await unknown.json()];
  expect(first).toEqual(second);
  expect(first).toEqual({ error: "Wrong e-mail or password", code: "invalid_credentials" });
});

test("a login without a password is 400", async () => {
  expect((await post("login", { email: "a@example.com" })).status).toBe(400);
});

test("each refresh gives a new pair, and the old token's second use soon after gives one more", async () => {
  const { refreshToken } = await service.register();

  const second = await pairFrom(post("refresh", { refreshToken }));
  expect(second.refreshToken).not.toBe(refreshToken);

  const other = await pairFrom(post("refresh", { refreshToken }));
  expect(new Set([refreshToken, second.refreshToken, other.refreshToken]).size).toBe(3);
  await pairFrom(post("refresh", { refreshToken: second.refreshToken }));
  await pairFrom(post("refresh", { refreshToken: other.refreshToken }));
});

test("twenty who refresh with one token at once all go on", async () => {
  const { refreshToken } = await service.register();

  const answers = await Promise.all(Array.from({ length: 20 }, () => post("refresh", { refreshToken })));

  const pairs = await Promise.all(answers.map((answer) => pairFrom(answer)));
  expect(new Set(pairs.map((pair) => pair.refreshToken)).size).toBe(20);
  await pairFrom(post("refresh", { refreshToken: pairs[19]!.refreshToken }));
});

test("a token that comes back after the grace ends its whole family, and no other", async () => {
  const email = freshEmail();
  const { refreshToken } = await (await post("register", { email, password, name: "Ann" })).json();
  const elsewhere = await pairFrom(post("login", { email, password }));
  const second = await pairFrom(post("refresh", { refreshToken }));
  // eleven seconds later, without waiting for them
  const realNow = Date.now;
  Date.now = () => realNow() + 11_000;
  const reuse = await Promise.resolve(post("refresh", { refreshToken })).finally(() => {
    Date.now = realNow;
  });

  expect(reuse.status).toBe(401);
  expect(await reuse.json()).toMatchObject({ code: "invalid_token" });
  expect((await post("refresh", { refreshToken: second.refreshToken })).status).toBe(401);
  await pairFrom(post("refresh", { refreshToken: elsewhere.refreshToken }));
});

test("logging out ends the family, with any of its tokens", async () => {
  const { refreshToken } = await service.register();
  const second = await pairFrom(post("refresh", { refreshToken }));

  const out = await post("logout", { refreshToken });

  expect(out.status).toBe(204);
  expect(await out.text()).toBe("");
  expect((await post("refresh", { refreshToken: second.refreshToken })).status).toBe(401);
  expect((await post("refresh", { refreshToken })).status).toBe(401);
});

test("logging out with an unknown token changes nothing and is fine", async () => {
  expect((await post("logout", { refreshToken: "unknown" })).status).toBe(204);
  expect((await post("logout", {})).status).toBe(400);
});

test("an unknown refresh token is invalid", async () => {
  const response = await post("refresh", { refreshToken: "unknown" });

  expect(response.status).toBe(401);
  expect(await response.json()).toMatchObject({ code: "invalid_token" });
  expect(response.headers.get("www-authenticate")).toStartWith("Bearer ");
});

test("neither passwords nor refresh tokens are stored as they are", async () => {
  const { refreshToken, user } = await service.register();
  const found = await service.services.users.findByEmail(user.email);

  expect(found?.passwordHash).toStartWith("$argon2id$v=19$m=19456,t=2,p=1$");
  expect(await service.services.refreshTokens.use(refreshToken, Date.now())).toBeUndefined();
});

const answers401 = (code: string) => ({
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
  ["characters that no token has", "Bearer abc;def"],
])("%s is 401 unauthenticated", async (_, authorization) => {
  const response = await service.request("/api/auth/me", { headers: authorization ? { authorization } : {} });

  expect(response.status).toBe(401);
  expect(response.headers.get("www-authenticate")).toStartWith("Bearer ");
  expect(await response.json()).toEqual(answers401("unauthenticated"));
});

test("the scheme counts in any case, as RFC 9110 says", async () => {
  const { accessToken } = await service.register();
  const response = await service.request("/api/auth/me", { headers: { authorization: `bearer ${accessToken}` } });
  expect(response.status).toBe(200);
});

/** A token like the service's own but for what a forger changes. */
async function forged(change: { alg?: string; key?: string; drop?: string; claims?: Record<string, unknown> }) {
  const { accessToken } = await service.register();
  const claims: Record<string, unknown> = { ...decodeJwt(accessToken), ...change.claims };
  if (change.drop) delete claims[change.drop];
  const key = new TextEncoder().encode(change.key ?? "a secret that only tests know");
  return new SignJWT(claims).setProtectedHeader({ alg: change.alg ?? "HS256" }).sign(key);
}

const now = () => Math.floor(Date.now() / 1000);

test("an access token says when it was issued, and lives for an hour from then", async () => {
  const from = now();
  const { iat, exp } = decodeJwt((await service.register()).accessToken);
  expect(iat).toBeWithin(from, now() + 1);
  expect(exp! - iat!).toBe(3600);
});

test("a token from a clock that is a little ahead is taken", async () => {
  expect((await me(await forged({ claims: { iat: now() + 3 } }))).status).toBe(200);
});

test("a token made with the service's own secret and claims is taken", async () => {
  expect((await me(await forged({}))).status).toBe(200);
});

test.each([
  ["another secret", { key: "a secret of somebody else" }],
  ["another algorithm", { alg: "HS512" }],
  ["another issuer", { claims: { iss: "somebody" } }],
  ["another audience", { claims: { aud: "something" } }],
  ["no expiry", { drop: "exp" }],
  ["no issue time", { drop: "iat" }],
  ["no id", { drop: "jti" }],
  ["no subject", { drop: "sub" }],
  ["an expiry in the past", { claims: { exp: now() - 1 } }],
  ["an issue time in the future", { claims: { iat: now() + 60 } }],
  ["an expiry of centuries and an old issue time", { claims: { exp: 1e15, iat: now() - 7200 } }],
  ["a user that does not exist", { claims: { sub: `user_${"0".repeat(32)}` } }],
  ["a subject that is no id", { claims: { sub: "x\u0000y" } }],
])("a token with %s is 401 invalid_token", async (_, change) => {
  const response = await me(await forged(change));

  expect(response.status).toBe(401);
  expect(response.headers.get("www-authenticate")).toContain('error="invalid_token"');
  expect(await response.json()).toEqual(answers401("invalid_token"));
});

test.each(["abc", "rw_abc", "eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0."])(
  "the made-up token %s is invalid",
  async (token) => {
    const response = await me(token);
    expect(response.status).toBe(401);
    expect(await response.json()).toEqual(answers401("invalid_token"));
  },
);

test("an access token in the query opens nothing here", async () => {
  const { accessToken } = await service.register();
  expect((await service.request(`/api/auth/me?token=${accessToken}`)).status).toBe(401);
});

test("answers with tokens are kept by no cache", async () => {
  const response = await post("register", { email: freshEmail(), password, name: "Ann" });
  expect(response.headers.get("cache-control")).toBe("no-store");
});

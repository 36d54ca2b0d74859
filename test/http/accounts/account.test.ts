import { expect, test } from "bun:test";
import { decodeJwt } from "jose";
import { connect } from "../../../src/client.ts";
import { jsonInit, password, sharedService, type TestUser } from "../../support/service.ts";

const service = await sharedService();

const newPassword = "another good password 🎬";

type Pair = { readonly accessToken: string; readonly refreshToken: string };

async function login({ user }: TestUser, secret = password, headers = {}): Promise<Pair> {
  const response = await service.request(
    "/api/auth/login",
    jsonInit("POST", { email: user.email, password: secret }, headers),
  );
  if (response.status !== 200) throw new Error(await response.text());
  return response.json();
}

const withToken = (token: string, path: string, init: RequestInit = {}) =>
  service.request(path, { ...init, headers: { ...init.headers, authorization: `Bearer ${token}` } });

const meStatus = async ({ accessToken }: Pick<Pair, "accessToken">) =>
  (await withToken(accessToken, "/api/auth/me")).status;
const sessionOf = ({ accessToken }: Pick<Pair, "accessToken">) => String(decodeJwt(accessToken).sid);

const changePassword = (user: TestUser, oldPassword: string, next = newPassword) =>
  user.json("POST", "/api/auth/password", { oldPassword, newPassword: next });

test("a name is changed and the rest of the account stays", async () => {
  const ann = await service.register();

  const changed = await ann.json("PUT", "/api/auth/me", { ...ann.user, name: "  Ann Other " });

  expect(changed.status).toBe(200);
  const user = await changed.json();
  expect(user).toEqual({ ...ann.user, name: "Ann Other", updatedAt: expect.any(Number) });
  expect(user.updatedAt).toBeGreaterThan(ann.user.updatedAt);
  expect(await (await ann.request("/api/auth/me")).json()).toEqual(user);
});

test.each([
  ["validation_error", { name: " " }],
  ["validation_error", { name: null }],
  ["validation_error", { email: "other@example.com" }],
  ["id_mismatch", { id: `user_${"0".repeat(32)}` }],
])("a change of an account is refused as %s for %j", async (code, body) => {
  const response = await (await service.register()).json("PUT", "/api/auth/me", body);

  expect([response.status, (await response.json()).code]).toEqual([400, code]);
});

test("the account has an ETag, which a change may require", async () => {
  const ann = await service.register();
  const etag = (await ann.request("/api/auth/me")).headers.get("etag")!;

  expect((await ann.request("/api/auth/me", { headers: { "if-none-match": etag } })).status).toBe(304);
  expect((await ann.json("PUT", "/api/auth/me", { name: "B" }, { "if-match": etag })).status).toBe(200);
  expect((await ann.json("PUT", "/api/auth/me", { name: "C" }, { "if-match": etag })).status).toBe(412);
});

test("a changed password ends the other logins and the old password", async () => {
  const ann = await service.register();
  const other = await login(ann);

  const changed = await changePassword(ann, password);

  expect([changed.status, (await changed.json()).id]).toEqual([200, ann.user.id]);
  expect(await meStatus(ann)).toBe(200);
  expect(await meStatus(other)).toBe(401);
  expect((await service.request("/api/auth/refresh", jsonInit("POST", other))).status).toBe(401);
  expect(
    (await service.request("/api/auth/refresh", jsonInit("POST", { refreshToken: ann.refreshToken }))).status,
  ).toBe(200);
  await expect(login(ann)).rejects.toThrow("invalid_credentials");
  expect(await meStatus(await login(ann, newPassword))).toBe(200);
});

test("a login that was checked before the password changed opens no session after it", async () => {
  const { user } = await service.register();
  const { refreshTokens, users } = service.services;
  const { passwordHash } = (await users.findByEmail(user.email))!;
  const session = { userId: user.id, sessionId: "none" };
  await users.replacePassword(session, { from: passwordHash, to: "another" }, Date.now());

  const times = { createdAt: 1, lastUsedAt: 1, expiresAt: 2 };
  const opened = { id: "late", userId: user.id, userAgent: null, ...times };
  const token = { hash: "late", familyId: "late", userId: user.id, createdAt: 1, expiresAt: 2 };

  expect(await refreshTokens.open(opened, token, passwordHash)).toBe(false);
});

test("a wrong old password is 401 and changes nothing", async () => {
  const ann = await service.register();
  const other = await login(ann);

  const refused = await changePassword(ann, "wrong password");

  expect(refused.status).toBe(401);
  expect(await refused.json()).toMatchObject({ code: "invalid_credentials", error: "Wrong password" });
  expect(await meStatus(other)).toBe(200);
  expect(await meStatus(await login(ann))).toBe(200);
});

test.each([
  ["newPassword", { oldPassword: password, newPassword: "1234567" }],
  ["newPassword", { oldPassword: password }],
  ["oldPassword", { newPassword }],
])("a change of the password with an invalid %s is 400 and names it", async (path, body) => {
  const response = await (await service.register()).json("POST", "/api/auth/password", body);

  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ code: "validation_error", details: [{ path }] });
});

test("the sessions of a user are listed, newest first, without those that have ended", async () => {
  const ann = await service.register();
  const browser = await login(ann, password, { "user-agent": "Browser/1.0" });
  const ended = await login(ann);
  await service.request("/api/auth/logout", jsonInit("POST", ended));
  await service.register("Bob");

  const response = await ann.request("/api/auth/sessions");

  expect(response.status).toBe(200);
  const times = { createdAt: expect.any(Number), lastUsedAt: expect.any(Number), expiresAt: expect.any(Number) };
  expect(await response.json()).toEqual([
    { id: sessionOf(browser), userAgent: "Browser/1.0", current: false, ...times },
    { id: sessionOf(ann), userAgent: null, current: true, ...times },
  ]);
  expect(sessionOf(ann)).toMatch(/^sess_[0-9a-f]{32}$/);
});

test("the list of sessions has pages", async () => {
  const ann = await service.register();
  const second = await login(ann);

  const first = await ann.request("/api/auth/sessions?limit=1");
  const [, next] = /<([^>]+)>; rel="next"/.exec(first.headers.get("link")!)!;

  expect((await first.json()).map(({ id }: { id: string }) => id)).toEqual([sessionOf(second)]);
  expect((await (await ann.request(next!)).json()).map(({ id }: { id: string }) => id)).toEqual([sessionOf(ann)]);
});

test("the use of a session is noted when ten minutes have passed", async () => {
  const ann = await service.register();
  const read = async () => (await ann.request(`/api/auth/sessions/${sessionOf(ann)}`)).json();
  const { createdAt } = await read();
  const realNow = Date.now;
  Date.now = () => realNow() + 601_000;
  const later = await read().finally(() => {
    Date.now = realNow;
  });

  expect(later.createdAt).toBe(createdAt);
  expect(later.lastUsedAt).toBeGreaterThanOrEqual(createdAt + 600_000);
});

test("an ended session's tokens end, and it is gone", async () => {
  const ann = await service.register();
  const other = await login(ann);
  const path = `/api/auth/sessions/${sessionOf(other)}`;
  expect((await ann.request(path)).status).toBe(200);

  expect((await ann.request(path, { method: "DELETE" })).status).toBe(204);

  expect(await meStatus(other)).toBe(401);
  expect(await meStatus(ann)).toBe(200);
  expect((await ann.request(path)).status).toBe(404);
  expect((await ann.request(path, { method: "DELETE" })).status).toBe(404);
});

test("another user's session and a malformed id are 404", async () => {
  const [ann, bob] = [await service.register("Ann"), await service.register("Bob")];
  for (const id of [sessionOf(bob), "nonsense", "%00", `sess_${"0".repeat(32)}`]) {
    expect((await ann.request(`/api/auth/sessions/${id}`)).status).toBe(404);
    expect((await ann.request(`/api/auth/sessions/${id}`, { method: "DELETE" })).status).toBe(404);
  }
  expect(await meStatus(bob)).toBe(200);
});

test("logout-all ends every login of the user and no API token", async () => {
  const [ann, bob] = [await service.register("Ann"), await service.register("Bob")];
  const other = await login(ann);
  const { token } = await (await ann.json("POST", "/api/tokens", { name: "CI", scopes: ["projects:read"] })).json();

  expect((await ann.json("POST", "/api/auth/logout-all")).status).toBe(204);

  expect(await Promise.all([ann, other, bob].map(meStatus))).toEqual([401, 401, 200]);
  expect((await withToken(token, "/api/projects")).status).toBe(200);
});

test("an API token changes no account", async () => {
  const ann = await service.register();
  const { token } = await (await ann.json("POST", "/api/tokens", { name: "CI", scopes: ["projects:read"] })).json();
  const statusOf = async (method: string, path: string, body = {}) =>
    (await withToken(token, `/api/auth/${path}`, jsonInit(method, body))).status;

  expect(await statusOf("PUT", "me", { name: "B" })).toBe(403);
  expect(await statusOf("POST", "password", { oldPassword: password, newPassword })).toBe(403);
  expect(await statusOf("POST", "logout-all")).toBe(403);
});

test("the typed client knows the account", async () => {
  const ann = await service.register();
  const { auth } = connect("http://localhost", { token: ann.accessToken, fetch: service.request }).api;

  const renamed = await auth.me.$put({ json: { name: "B" } });
  if (!renamed.ok) throw new Error((await renamed.json()).error);
  expect((await renamed.json()).name).toBe("B");

  const sessions = await auth.sessions.$get({ query: {} });
  if (!sessions.ok) throw new Error((await sessions.json()).error);
  const [{ id: sessionId, current } = { id: "", current: false }] = await sessions.json();
  expect(current).toBe(true);
  expect((await auth.sessions[":sessionId"].$delete({ param: { sessionId } })).status).toBe(204);
});

import { afterAll, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { decodeJwt } from "jose";
import { users } from "../../../src/storage/tables/accounts.ts";
import { jsonInit, password, type TestService, type TestUser, testService } from "../../support/service.ts";
import { formOf, newProject, png } from "../../support/uploads.ts";

const service = await testService();
afterAll(() => service.close());

type Pair = { readonly accessToken: string; readonly refreshToken: string };

const post = (path: string, body: unknown, { request }: Pick<TestService, "request"> = service) =>
  request(`/api/auth/${path}`, jsonInit("POST", body));
const pairFrom = async (pending: Response | Promise<Response>): Promise<Pair> => (await pending).json();
const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
const sessionOf = ({ accessToken }: Pair) => decodeJwt(accessToken).sid;

/** The status and code of GET /api/auth/me. */
async function me(token: string, { request }: Pick<TestService, "request"> = service) {
  const response = await request("/api/auth/me", bearer(token));
  return [response.status, (await response.json()).code];
}
const ended = [401, "invalid_token"];
const valid = [200, undefined];

/** Runs with the clock advanced. */
function later<T>(milliseconds: number, run: () => Promise<T>): Promise<T> {
  const realNow = Date.now;
  Date.now = () => realNow() + milliseconds;
  return run().finally(() => {
    Date.now = realNow;
  });
}

test("register and each login open a session of their own, and a refresh stays in its session", async () => {
  const registered = await service.register();
  const { email } = registered.user;

  const login = await pairFrom(post("login", { email, password }));
  const refreshed = await pairFrom(post("refresh", { refreshToken: login.refreshToken }));

  expect(sessionOf(registered)).toBeString();
  expect(sessionOf(login)).not.toBe(sessionOf(registered));
  expect(sessionOf(refreshed)).toBe(sessionOf(login));
  for (const { accessToken } of [registered, login, refreshed]) expect(await me(accessToken)).toEqual(valid);
});

test("logout ends the access tokens of its session only", async () => {
  const { user, accessToken, refreshToken } = await service.register();
  const other = await pairFrom(post("login", { email: user.email, password }));
  const refreshed = await pairFrom(post("refresh", { refreshToken }));

  await post("logout", { refreshToken });

  expect(await me(accessToken)).toEqual(ended);
  expect(await me(refreshed.accessToken)).toEqual(ended);
  expect(await me(other.accessToken)).toEqual(valid);
});

test("a replayed refresh token ends the access tokens of its session", async () => {
  const { accessToken, refreshToken } = await service.register();
  const second = await pairFrom(post("refresh", { refreshToken }));
  await post("refresh", { refreshToken });
  expect(await me(second.accessToken)).toEqual(valid);

  await later(11_000, async () => post("refresh", { refreshToken }));

  expect(await me(accessToken)).toEqual(ended);
  expect(await me(second.accessToken)).toEqual(ended);
});

test("a deleted user's access token ends", async () => {
  const { user, accessToken } = await service.register();

  await service.db.delete(users).where(eq(users.id, user.id));

  expect(await me(accessToken)).toEqual(ended);
});

async function uploadedImage(ann: TestUser): Promise<string> {
  const path = `/api/projects/${await newProject(ann)}/assets`;
  return (await (await ann.request(path, { method: "POST", body: formOf({ file: png() }) })).json()).url;
}

test("after logout an access token is 401 on every kind of route and in the query; API tokens stay valid", async () => {
  const ann = await service.register();
  const image = await uploadedImage(ann);
  const { token } = await (await ann.json("POST", "/api/tokens", { name: "CI", scopes: ["projects:read"] })).json();
  const statuses = async (accessToken: string) => [
    (await service.request(`${image}?token=${accessToken}`)).status,
    (await service.request(image, bearer(accessToken))).status,
    (await service.request("/api/projects", bearer(accessToken))).status,
    (await service.request("/api/exports", bearer(accessToken))).status,
  ];
  expect(await statuses(ann.accessToken)).toEqual([200, 200, 200, 200]);

  await post("logout", { refreshToken: ann.refreshToken });

  expect(await statuses(ann.accessToken)).toEqual([401, 401, 401, 401]);
  expect((await service.request(`${image}?token=${token}`)).status).toBe(200);
});

test("an access token outlives a shorter refresh token, and logout with that one still ends it", async () => {
  const shortRefresh = await testService({ REFRESH_TOKEN_TTL: "60", ACCESS_TOKEN_TTL: "3600" });
  try {
    const first = await shortRefresh.register();
    const second = await shortRefresh.register();
    await later(600_000, async () => {
      await shortRefresh.services.refreshTokens.removeExpired(Date.now());
      expect(await me(first.accessToken, shortRefresh)).toEqual(valid);
      expect((await post("refresh", { refreshToken: first.refreshToken }, shortRefresh)).status).toBe(401);

      expect((await post("logout", { refreshToken: first.refreshToken }, shortRefresh)).status).toBe(204);

      expect(await me(first.accessToken, shortRefresh)).toEqual(ended);
      expect(await me(second.accessToken, shortRefresh)).toEqual(valid);
    });
    await later(3_700_000, async () => expect(await me(second.accessToken, shortRefresh)).toEqual(ended));
  } finally {
    await shortRefresh.close();
  }
});

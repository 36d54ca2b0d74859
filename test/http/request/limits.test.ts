import { afterAll, expect, test } from "bun:test";
import { jsonInit, password, testService } from "../../helpers/service.ts";

const service = await testService({ RATE_LIMIT: "on" });
afterAll(() => service.close());

const login = (email: string, secret: string) =>
  service.request("/api/auth/login", jsonInit("POST", { email, password: secret }));

async function expectLimited(response: Response) {
  expect(response.status).toBe(429);
  expect((await response.json()).code).toBe("rate_limited");
  const seconds = Number(response.headers.get("retry-after"));
  expect(seconds).toBeGreaterThan(0);
  expect(seconds).toBeLessThanOrEqual(60);
}

test("who guesses thirty passwords of one user has to wait, even with the right one", async () => {
  const { user } = await service.register("Ann");
  for (let guess = 0; guess < 30; guess++) expect((await login(user.email, "wrong password")).status).toBe(401);

  await expectLimited(await login(user.email, "wrong password"));
  await expectLimited(await login(user.email, password));
  await expectLimited(await login(`  ${user.email.toUpperCase()}`, password));

  const { user: bob } = await service.register("Bob");
  expect((await login(bob.email, password)).status).toBe(200);
});

test("who logs in rightly is never counted", async () => {
  const { user } = await service.register("Carol");
  for (let time = 0; time < 32; time++) expect((await login(user.email, password)).status).toBe(200);
});

test("dead refresh tokens at one address never keep a live one waiting", async () => {
  const { refreshToken } = await service.register("Eve");
  const refresh = (token: string) => service.request("/api/auth/refresh", jsonInit("POST", { refreshToken: token }));
  for (let time = 0; time < 32; time++) expect((await refresh(`dead ${time}`)).status).toBe(401);

  expect((await refresh(refreshToken)).status).toBe(200);
});

test("a user may ask a great deal, but not without end", async () => {
  const dave = await service.register("Dave");
  const { rateLimiter } = service.services;
  const asked: string[] = [];
  const take = rateLimiter.take;
  rateLimiter.take = (key, limit) => {
    asked.push(`${key}: ${limit.points} in ${limit.seconds}`);
    // as if all but one of the points were gone
    return take(key, { points: 1, seconds: 60 });
  };
  try {
    expect((await dave.request("/api/auth/me")).status).toBe(200);
    await expectLimited(await dave.request("/api/auth/me"));
    expect(new Set(asked)).toEqual(new Set([`requests ${dave.user.id}: 6000 in 60`]));
  } finally {
    rateLimiter.take = take;
  }
});

test("with RATE_LIMIT=off nobody has to wait", async () => {
  const open = await testService({ RATE_LIMIT: "off" });
  const attempt = () =>
    open.request("/api/auth/login", jsonInit("POST", { email: "a@example.com", password: "wrong password" }));
  for (let guess = 0; guess < 32; guess++) expect((await attempt()).status).toBe(401);
  await open.close();
});

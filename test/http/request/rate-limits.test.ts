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

test("thirty wrong passwords for one user lock further logins, even with the right password", async () => {
  const { user } = await service.register("Ann");
  for (let guess = 0; guess < 30; guess++) expect((await login(user.email, "wrong password")).status).toBe(401);

  await expectLimited(await login(user.email, "wrong password"));
  await expectLimited(await login(user.email, password));
  await expectLimited(await login(`  ${user.email.toUpperCase()}`, password));

  const { user: bob } = await service.register("Bob");
  expect((await login(bob.email, password)).status).toBe(200);
});

test("successful logins are not counted", async () => {
  const { user } = await service.register("Carol");
  for (let time = 0; time < 32; time++) expect((await login(user.email, password)).status).toBe(200);
});

test("invalid refresh tokens do not limit a valid one from the same address", async () => {
  const { refreshToken } = await service.register("Eve");
  const refresh = (token: string) => service.request("/api/auth/refresh", jsonInit("POST", { refreshToken: token }));
  for (let time = 0; time < 32; time++) expect((await refresh(`dead ${time}`)).status).toBe(401);

  expect((await refresh(refreshToken)).status).toBe(200);
});

test("requests are limited to 6000 a minute per user", async () => {
  const dave = await service.register("Dave");
  const { rateLimiter } = service.services;
  const limits: string[] = [];
  const consume = rateLimiter.consume;
  rateLimiter.consume = (key, limit) => {
    limits.push(`${key}: ${limit.points} in ${limit.seconds}`);
    // as if one point were left
    return consume(key, { points: 1, seconds: 60 });
  };
  try {
    expect((await dave.request("/api/auth/me")).status).toBe(200);
    await expectLimited(await dave.request("/api/auth/me"));
    expect(new Set(limits)).toEqual(new Set([`requests ${dave.user.id}: 6000 in 60`]));
  } finally {
    rateLimiter.consume = consume;
  }
});

test("RATE_LIMIT=off disables the limits", async () => {
  const open = await testService({ RATE_LIMIT: "off" });
  const attempt = () =>
    open.request("/api/auth/login", jsonInit("POST", { email: "a@example.com", password: "wrong password" }));
  for (let guess = 0; guess < 32; guess++) expect((await attempt()).status).toBe(401);
  await open.close();
});

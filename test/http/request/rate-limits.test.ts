import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createApp } from "../../../src/app.ts";
import type { Allowance, RateLimiter } from "../../../src/domain/accounts/rate-limit.ts";
import type { Passwords } from "../../../src/domain/accounts/secrets.ts";
import { rateLimits, users } from "../../../src/storage/tables/accounts.ts";
import { jsonInit, type OwnService, password, sharedService, testService } from "../../support/service.ts";
import { clientsOf, counted, freshEmail, inSequence, times } from "./rate-limit-clients.ts";

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

test("the limits of logins and registrations", async () => {
  const limits: string[] = [];
  const rateLimiter = withAllowances(service.services.rateLimiter, (allowance) => {
    limits.push(`${allowance.key}: ${allowance.points} in ${allowance.seconds}`);
    return allowance;
  });
  const app = createApp({ ...service.services, rateLimiter });
  const { login, register } = clientsOf({ app });
  const email = freshEmail();

  expect(await login(email, password, "203.0.113.1")).toBe(401);
  expect(new Set(limits.splice(0))).toEqual(
    new Set([
      `known 203.0.113.1 ${email}: 1 in 2592000`,
      `failed 203.0.113.1 ${email}: 30 in 60`,
      "failed 203.0.113.1: 300 in 60",
      `failed ${email}: 100 in 3600`,
    ]),
  );
  expect(await register(email, "203.0.113.1")).toBe(201);
  expect(new Set(limits)).toEqual(
    new Set([
      `taken 203.0.113.1 ${email}: 30 in 60`,
      "taken 203.0.113.1: 300 in 60",
      "registrations 203.0.113.1: 300 in 60",
      "registrations 203.0.113.1: 3000 in 3600",
      `known 203.0.113.1 ${email}: 1 in 2592000`,
    ]),
  );
});

/** A limiter with other limits than those that it is called with. */
function withAllowances(limiter: RateLimiter, change: (allowance: Allowance) => Allowance): RateLimiter {
  return {
    ...limiter,
    take: (allowances) => limiter.take(allowances.map(change)),
    waits: (allowances) => limiter.waits(allowances.map(change)),
    giveBack: (allowances) => limiter.giveBack(allowances.map(change)),
    takeAll: (allowance) => limiter.takeAll(change(allowance)),
  };
}

// each attempt costs a hash
describe("with a thirtieth of the points, two at least", () => {
  let strict: OwnService;
  beforeAll(async () => {
    const variables = { RATE_LIMIT: "on", TRUSTED_PROXIES: "127.0.0.1" };
    strict = await testService(variables, undefined, ({ rateLimiter }) => ({
      rateLimiter: withAllowances(rateLimiter, (it) => ({ ...it, points: Math.max(2, Math.ceil(it.points / 30)) })),
    }));
  });
  afterAll(() => strict.close());

  test("an account keeps a mark of the network where it registered, which does not name it", async () => {
    const { register } = clientsOf(strict);
    const marks = async (...addresses: string[]) => {
      const emails = await Promise.all(
        addresses.map(async (address) => {
          const email = freshEmail();
          await register(email, address);
          return email;
        }),
      );
      const rows = await strict.db.select({ email: users.email, mark: users.registeredFrom }).from(users);
      return emails.map((email) => rows.find((row) => row.email === email)?.mark);
    };

    const [first, second, other, ipv6, proxy] = await marks(
      ...["203.0.113.90", "203.0.113.90", "203.0.113.91", "2001:db8:7::1", "127.0.0.1"],
    );
    expect([first, ipv6]).toEqual([expect.stringMatching(/^[\w-]{22}$/), expect.stringMatching(/^[\w-]{22}$/)]);
    expect(second).toBe(first!);
    expect(new Set([first, other, ipv6]).size).toBe(3);
    expect(proxy).toBeNull();
  });

  test("of forty guesses at once two are checked: a right one after them is refused", async () => {
    const { login, register } = clientsOf(strict);
    const ann = freshEmail();
    await register(ann, "203.0.113.1");

    const guesses = [...times(39, (i) => `wrong password ${i}`), password];
    const statuses = await Promise.all(guesses.map((guess) => login(ann, guess, "203.0.113.1")));

    expect(counted(statuses)).toEqual({ 401: 2, 429: 38 });
  });

  test("ten right passwords at once are ten logins", async () => {
    const { login, register } = clientsOf(strict);
    const ann = freshEmail();
    await register(ann, "203.0.113.2");

    const statuses = await Promise.all(times(10, () => login(ann, password, "203.0.113.2")));

    expect(counted(statuses)).toEqual({ 200: 10 });
  });

  test("all addresses of an IPv6 /64 are one client", async () => {
    const { login } = clientsOf(strict);
    const email = freshEmail();

    const statuses = await inSequence(3, (i) => login(email, "wrong password", `2001:db8:0:1:${i}::1`));

    expect(statuses).toEqual([401, 401, 429]);
    expect(await login(email, "wrong password", "2001:db8:0:2::1")).toBe(401);
  });

  test("an IPv4 address and its IPv6 form are one client", async () => {
    const { login } = clientsOf(strict);
    const email = freshEmail();
    const forms = ["203.0.113.3", "::ffff:203.0.113.3"];

    expect(await inSequence(3, (i) => login(email, "wrong password", forms[i % 2]!))).toEqual([401, 401, 429]);
  });

  test("guesses at many accounts do not stop a neighbour who has used the address before", async () => {
    const { login, register } = clientsOf(strict);
    const [ann, bob] = [freshEmail(), freshEmail()];
    await register(ann, "198.51.100.1");
    await register(bob, "198.51.100.2");

    const guesses = await inSequence(13, () => login(freshEmail(), "wrong password", "198.51.100.1"));

    expect(counted(guesses)).toEqual({ 401: 10, 429: 3 });
    expect(await login(ann, password, "198.51.100.1")).toBe(200);
    expect(await login(bob, password, "198.51.100.1")).toBe(429);
    expect(await login(bob, password, "198.51.100.2")).toBe(200);
    expect(await register(freshEmail(), "198.51.100.1")).toBe(201);
  });

  test("guesses at an account from its owner's address are limited", async () => {
    const { login, register } = clientsOf(strict);
    const ann = freshEmail();
    await register(ann, "198.51.100.3");

    const statuses = await inSequence(3, () => login(ann, "wrong password", "198.51.100.3"));

    expect(statuses).toEqual([401, 401, 429]);
  });

  test("wrong passwords of a logged-in user and those of logins count together", async () => {
    const ann = await strict.register();
    const { email } = ann.user;
    const change = (oldPassword: string) =>
      ann.json("POST", "/api/auth/password", { oldPassword, newPassword: "another good password" });
    const wrong = "wrong password";

    expect((await change(wrong)).status).toBe(401);
    expect((await strict.request("/api/auth/login", jsonInit("POST", { email, password: wrong }))).status).toBe(401);
    await expectLimited(await change(wrong));
    await expectLimited(await change(password));
    expect((await ann.request("/api/auth/me")).status).toBe(200);
  });

  test("guesses from many addresses do not stop the owner where the account has logged in before", async () => {
    const { login, register } = clientsOf(strict);
    const [ann, bob] = [freshEmail(), freshEmail()];
    await register(ann, "198.51.100.4");
    await register(bob, "198.51.100.4");
    expect(await login(ann, password, "198.51.100.5")).toBe(200);

    const guesses = await inSequence(6, (i) => login(ann, "wrong password", `192.0.2.${i}`));

    expect(counted(guesses)).toEqual({ 401: 4, 429: 2 });
    expect(await login(ann, password, "198.51.100.4")).toBe(200);
    expect(await login(ann, password, "198.51.100.5")).toBe(200);
    expect(await login(ann, password, "198.51.100.6")).toBe(429);
    expect(await login(bob, password, "192.0.2.1")).toBe(200);
  });

  test("the registrations of a client are limited; those of taken e-mails do not count", async () => {
    const { register } = clientsOf(strict);
    const taken = freshEmail();
    await register(taken, "198.51.100.7");
    expect(await register(taken, "198.51.100.8")).toBe(409);

    const statuses = await Promise.all(times(13, () => register(freshEmail(), "198.51.100.8")));

    expect(counted(statuses)).toEqual({ 201: 10, 429: 3 });
    expect(await register(freshEmail(), "198.51.100.9")).toBe(201);
  });

  test("only as many responses as the limit allows tell that an e-mail is taken", async () => {
    const { register } = clientsOf(strict);
    const taken = freshEmail();
    await register(taken, "198.51.100.10");

    const statuses = await Promise.all(times(4, () => register(taken, "198.51.100.10")));

    expect(counted(statuses)).toEqual({ 409: 2, 429: 2 });
  });

  test("registrations from this machine are not limited", async () => {
    const { register } = clientsOf(strict);

    const statuses = await Promise.all(times(12, () => register(freshEmail(), "127.0.0.1")));

    expect(counted(statuses)).toEqual({ 201: 12 });
  });

  test("clients behind a trusted proxy are limited one by one", async () => {
    const { login, register } = clientsOf(strict);
    const from = (client: string) => ({ "x-forwarded-for": `192.0.2.99, ${client}` });
    const email = freshEmail();

    const logins = await inSequence(3, () => login(email, "wrong password", "127.0.0.1", from("203.0.113.20")));
    expect(logins).toEqual([401, 401, 429]);
    expect(await login(email, "wrong password", "127.0.0.1", from("203.0.113.21"))).toBe(401);

    const accounts = await Promise.all(times(11, () => register(freshEmail(), "127.0.0.1", from("203.0.113.22"))));
    expect(counted(accounts)).toEqual({ 201: 10, 429: 1 });
  });

  test("X-Forwarded-For of others is ignored", async () => {
    const { login } = clientsOf(strict);
    const email = freshEmail();
    const from = (client: string) => ({ "x-forwarded-for": client });

    const statuses = await inSequence(3, (i) => login(email, "wrong password", "203.0.113.23", from(`192.0.2.${i}`)));

    expect(statuses).toEqual([401, 401, 429]);
  });
});

test("a hundred registrations of a client wait, further ones are refused", async () => {
  const { promise: hash, resolve } = Promise.withResolvers<string>();
  const { services } = await sharedService();
  const app = createApp({ ...services, passwords: { ...services.passwords, hash: () => hash } });
  const { register } = clientsOf({ app });

  const flood = times(100, () => register(freshEmail(), "203.0.113.1"));
  expect(await register(freshEmail(), "203.0.113.1")).toBe(429);
  const other = register(freshEmail(), "203.0.113.2");
  resolve("a hash");

  expect(counted(await Promise.all(flood))).toEqual({ 201: 100 });
  expect(await other).toBe(201);
  expect(await register(freshEmail(), "203.0.113.1")).toBe(201);
});

test("a hundred logins of strangers wait, further ones are refused, and a known one behind their address is not", async () => {
  const { promise: isMatch, resolve } = Promise.withResolvers<boolean>();
  const { services } = await sharedService();
  const matches: Passwords["matches"] = async (secret) => secret === password || isMatch;
  const app = createApp({ ...services, passwords: { ...services.passwords, matches } });
  const { login, register } = clientsOf({ app });
  const ann = freshEmail();
  await register(ann, "203.0.113.1");

  const flood = times(100, () => login(freshEmail(), "wrong password", "203.0.113.1"));
  expect(await login(freshEmail(), "wrong password", "203.0.113.1")).toBe(429);
  expect(await login(ann, password, "203.0.113.1")).toBe(200);
  resolve(false);

  expect(counted(await Promise.all(flood))).toEqual({ 401: 100 });
});

test("a guess at an account that does not exist leaves rows that are removed after their limits", async () => {
  const { login } = clientsOf(service);
  const { db, services } = service;
  await services.rateLimiter.removeExpired(Date.now() + 86_400_000);
  const before = await db.$count(rateLimits);

  await login(freshEmail(), "wrong password", "203.0.113.31");
  expect(await db.$count(rateLimits)).toBe(before + 3);

  await services.rateLimiter.removeExpired(Date.now() + 3_601_000);
  expect(await db.$count(rateLimits)).toBe(before);
});

test("requests are limited to 6000 a minute per user", async () => {
  const dave = await service.register("Dave");
  const { requestLimiter } = service.services;
  const limits: string[] = [];
  const take = requestLimiter.take;
  requestLimiter.take = (allowance) => {
    limits.push(`${allowance.key}: ${allowance.points} in ${allowance.seconds}`);
    // as if one point were left
    take({ ...allowance, points: 1 });
  };
  try {
    expect((await dave.request("/api/auth/me")).status).toBe(200);
    await expectLimited(await dave.request("/api/auth/me"));
    expect(new Set(limits)).toEqual(new Set([`requests ${dave.user.id}: 6000 in 60`]));
  } finally {
    requestLimiter.take = take;
  }
});

test("RATE_LIMIT=off disables the limits", async () => {
  const open = await sharedService();
  const attempt = () =>
    open.request("/api/auth/login", jsonInit("POST", { email: "a@example.com", password: "wrong password" }));
  for (let guess = 0; guess < 32; guess++) expect((await attempt()).status).toBe(401);
});

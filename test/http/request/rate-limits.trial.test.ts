import { expect, test } from "bun:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { RequestLimiter } from "../../../src/domain/accounts/rate-limit.ts";
import { argonPasswords } from "../../../src/security/argon-passwords.ts";
import { requestLimiter } from "../../../src/storage/database/request-limiter.ts";
import { rateLimits } from "../../../src/storage/tables/accounts.ts";
import { freshDatabase } from "../../support/database.ts";
import { type OwnService, password, testService } from "../../support/service.ts";
import { clientsOf, counted, freshEmail, inSequence, times } from "./rate-limit-clients.ts";

test("a login and another client's registration are done before most of a flood of registrations", async () => {
  const costly = await testService({ RATE_LIMIT: "on" }, undefined, () => ({ passwords: argonPasswords() }));
  const { login, register } = clientsOf(costly);
  const { user } = await costly.register("Grace");
  let registered = 0;
  const flood = times(40, () => register(freshEmail(), "127.0.0.1").finally(() => registered++));

  expect(await login(user.email, password, "127.0.0.1")).toBe(200);
  expect(await register(freshEmail(), "203.0.113.30")).toBe(201);

  expect(registered).toBeLessThan(20);
  expect(counted(await Promise.all(flood))).toEqual({ 201: 40 });
  await costly.close();
});

test("two processes on one database share the limit of requests", async () => {
  const database = await freshDatabase();
  const points = 20;
  const withFewPoints = () => ({
    requestLimiter: withPoints(points, requestLimiter(database.db, { settleEveryMs: 1 })),
  });
  const openDatabase = async () => ({ ...database, close: async () => {} });
  const [one, other] = [
    await testService({}, undefined, withFewPoints, undefined, openDatabase),
    await testService({}, undefined, withFewPoints, undefined, openDatabase),
  ];
  const { accessToken } = await one.register("Ann");
  const get = async ({ request }: OwnService) =>
    (await request("/api/auth/me", { headers: { authorization: `Bearer ${accessToken}` } })).status;

  expect(counted(await inSequence(points, () => get(one)))).toEqual({ 200: points });
  expect(await get(one)).toBe(429);
  let accepted = 0;
  while ((await get(other)) === 200) {
    accepted++;
    // until the other process has added its request to those of the first
    while ((await storedPoints(database.db)) < points + accepted) await nextTurn();
  }

  expect(accepted).toBeLessThan(points);
  await Promise.all([one.close(), other.close()]);
  await database.close();
});

const storedPoints = async (db: OwnService["db"]) =>
  (await db.select().from(rateLimits)).reduce((sum, row) => sum + row.points, 0);

const withPoints = (points: number, { take }: RequestLimiter): RequestLimiter => ({
  take: (allowance) => take({ ...allowance, points }),
});

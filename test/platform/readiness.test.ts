import { expect, test } from "bun:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { readiness } from "../../src/platform/readiness.ts";

test("checks that throw or reject have failed", async () => {
  const check = readiness({
    fine: () => {},
    thrown: () => {
      throw new Error("no");
    },
    rejected: () => Promise.reject(new Error("no")),
  });
  expect(await check()).toEqual({ fine: "ok", thrown: "failing", rejected: "failing" });
});

test("many callers share one check, and a failed one is repeated at once", async () => {
  const outcomes = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let started = 0;
  const check = readiness({ disk: () => outcomes[started++]?.promise });

  const first = [check(), check(), check()];
  outcomes[0]!.reject(new Error("no"));
  expect(await Promise.all(first)).toEqual([{ disk: "failing" }, { disk: "failing" }, { disk: "failing" }]);
  const second = [check(), check(), check()];
  outcomes[1]!.resolve();
  expect(await Promise.all(second)).toEqual([{ disk: "ok" }, { disk: "ok" }, { disk: "ok" }]);
  expect(await check()).toEqual({ disk: "ok" });
  expect(started).toBe(2);
});

test("a check that hangs has failed in time, and is not started again until it ends", async () => {
  const hanging = Promise.withResolvers<void>();
  const outcomes = [hanging.promise, hanging.promise];
  let started = 0;
  const check = readiness({ disk: { run: () => outcomes[started++], timeoutMs: 20 } });
  for (let calls = 0; calls < 3; calls++) expect(await check()).toEqual({ disk: "failing" });
  expect(started).toBe(1);

  hanging.reject(new Error("the disk is back"));
  await hanging.promise.catch(() => {});
  expect(await check()).toEqual({ disk: "failing" });
  expect(started).toBe(2);
});

test("a caller in a hurry gets what is known", async () => {
  const check = readiness({ disk: () => {}, database: () => new Promise(() => {}) });
  expect(await check(10)).toEqual({ disk: "ok", database: "failing" });
});

test("a success counts for as long as the check says", async () => {
  let started = 0;
  const check = readiness({
    store: { run: () => started++, keepMs: 60_000 },
    disk: { run: () => started++, keepMs: 0 },
  });
  await check();
  for (; started < 3; await nextTurn()) await check();
  expect(started).toBe(3);
  expect(await check()).toEqual({ store: "ok", disk: "ok" });
});

import { expect, test } from "bun:test";
import { idleScheduler } from "../../../src/engine/proxies/idle-scheduler.ts";

test("background work that fails is not repeated", async () => {
  const scheduler = idleScheduler(1);
  let runs = 0;
  const work = scheduler.whenIdle(async () => {
    runs++;
    throw new Error("bad");
  });
  await expect(work).rejects.toThrow("bad");
  expect(runs).toBe(1);
});

test("the failure of other work is its caller's, and background work follows it", async () => {
  const scheduler = idleScheduler(1);
  const failing = scheduler.during(() => Promise.reject(new Error("bad")));
  const following = scheduler.whenIdle(async () => "done");
  await expect(failing).rejects.toThrow("bad");
  expect(await following).toBe("done");
});

test("waiting background work keeps no process from ending", async () => {
  const program = `
    import { idleScheduler } from "${import.meta.dir}/../../../src/engine/proxies/idle-scheduler.ts";
    const scheduler = idleScheduler(60_000);
    await scheduler.during(async () => {});
    void scheduler.whenIdle(async () => {});
  `;
  const child = Bun.spawn([process.execPath, "-e", program]);
  expect(await child.exited).toBe(0);
});

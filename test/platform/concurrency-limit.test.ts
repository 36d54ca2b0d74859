import { expect, test } from "bun:test";
import { concurrencyLimit } from "../../src/platform/concurrency-limit.ts";

/** Tasks that finish once `release` is called. */
function pendingTasks() {
  const { promise, resolve } = Promise.withResolvers<void>();
  const started: string[] = [];
  const task = (name: string) => () => {
    started.push(name);
    return promise.then(() => name);
  };
  return { task, started, release: resolve };
}

test("runs at most `concurrency` tasks at a time, in the order of their calls", async () => {
  const limited = concurrencyLimit({ concurrency: 2, maxQueued: 10, retryAfterSeconds: 5 });
  const { task, started, release } = pendingTasks();

  const all = ["a", "b", "c", "d"].map((name) => limited(task(name)));
  expect(started).toEqual(["a", "b"]);

  release();
  expect(await Promise.all(all)).toEqual(["a", "b", "c", "d"]);
  expect(started).toEqual(["a", "b", "c", "d"]);
});

test("rejects with busy when the queue is full", async () => {
  const limited = concurrencyLimit({ concurrency: 1, maxQueued: 1, retryAfterSeconds: 5 });
  const { task, release } = pendingTasks();
  const first = limited(task("first"));
  const second = limited(task("second"));

  await expect(limited(task("third"))).rejects.toMatchObject({ code: "busy", facts: { retryAfterSeconds: 5 } });

  release();
  expect(await Promise.all([first, second])).toEqual(["first", "second"]);
  expect(await limited(async () => "later")).toBe("later");
});

test("without a queue, a task runs if a slot is free and is rejected with busy otherwise", async () => {
  const limited = concurrencyLimit({ concurrency: 1, maxQueued: 0, retryAfterSeconds: 5 });
  const { task, release } = pendingTasks();
  const first = limited(task("first"));

  await expect(limited(task("second"))).rejects.toMatchObject({ code: "busy" });

  release();
  expect(await first).toBe("first");
  expect(await limited(async () => "later")).toBe("later");
});

test("an aborted task leaves the queue and frees its place", async () => {
  const limited = concurrencyLimit({ concurrency: 1, maxQueued: 1, retryAfterSeconds: 5 });
  const { task, started, release } = pendingTasks();
  const controller = new AbortController();
  const first = limited(task("first"));
  const second = limited(task("second"), controller.signal);

  controller.abort(new Error("gone"));
  const third = limited(task("third"));
  release();

  await expect(second).rejects.toThrow("gone");
  expect(await Promise.all([first, third])).toEqual(["first", "third"]);
  expect(started).toEqual(["first", "third"]);
});

test("an abort after the start passes the slot on once", async () => {
  const limited = concurrencyLimit({ concurrency: 1, maxQueued: 5, retryAfterSeconds: 5 });
  const { task, started, release } = pendingTasks();
  const controller = new AbortController();
  const all = [limited(task("first")), limited(task("second"), controller.signal), limited(task("third"))];

  release();
  await all[1];
  controller.abort();
  await Promise.all(all);

  expect(started).toEqual(["first", "second", "third"]);
});

test("a failed task passes its slot on", async () => {
  const limited = concurrencyLimit({ concurrency: 1, maxQueued: 5, retryAfterSeconds: 5 });
  const failed = limited(() => Promise.reject(new Error("no")));
  const next = limited(async () => "next");

  await expect(failed).rejects.toThrow("no");
  expect(await next).toBe("next");
});

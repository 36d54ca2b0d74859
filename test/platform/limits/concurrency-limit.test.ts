import { expect, test } from "bun:test";
import { concurrencyLimit } from "../../../src/platform/limits/concurrency-limit.ts";

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
  const second = limited(task("second"), { signal: controller.signal });

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
  const all = [limited(task("first")), limited(task("second"), { signal: controller.signal }), limited(task("third"))];

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

test("waiting owners take turns", async () => {
  const limited = concurrencyLimit({ concurrency: 1 });
  const { task, started, release } = pendingTasks();
  const call = (name: string, owner: string) => limited(task(name), { owner });

  const all = [
    ...["a1", "a2", "a3", "a4"].map((name) => call(name, "a")),
    call("b1", "b"),
    call("b2", "b"),
    call("c1", "c"),
  ];
  release();
  await Promise.all(all);

  expect(started).toEqual(["a1", "b1", "c1", "a2", "b2", "a3", "a4"]);
});

test("an owner at the limit per owner leaves the other slots to others", async () => {
  const limited = concurrencyLimit({ concurrency: 3, perOwner: 2 });
  const { task, started, release } = pendingTasks();
  const call = (name: string, owner: string) => limited(task(name), { owner });

  const all = [...["a1", "a2", "a3"].map((name) => call(name, "a")), call("b1", "b"), call("b2", "b")];
  expect(started).toEqual(["a1", "a2", "b1"]);

  release();
  await Promise.all(all);
  expect(started).toEqual(["a1", "a2", "b1", "b2", "a3"]);
});

test("an owner at the limit takes no slot that another owner's task frees", async () => {
  const limited = concurrencyLimit({ concurrency: 2, perOwner: 1 });
  const a = pendingTasks();
  const b = pendingTasks();
  const running = limited(a.task("a1"), { owner: "a" });
  const waiting = limited(a.task("a2"), { owner: "a" });

  const other = limited(b.task("b1"), { owner: "b" });
  b.release();
  await other;
  expect(await limited(async () => "c1", { owner: "c" })).toBe("c1");
  expect(a.started).toEqual(["a1"]);

  a.release();
  expect(await Promise.all([running, waiting])).toEqual(["a1", "a2"]);
});

test("the full queue of one owner rejects that owner only", async () => {
  const limited = concurrencyLimit({ concurrency: 1, maxQueuedPerOwner: 1, maxQueued: 3, retryAfterSeconds: 5 });
  const { task, release } = pendingTasks();
  const call = (name: string, owner: string) => limited(task(name), { owner });
  const all = [call("a1", "a"), call("a2", "a")];

  await expect(call("a3", "a")).rejects.toMatchObject({ code: "busy", facts: { retryAfterSeconds: 5 } });
  all.push(call("b1", "b"), call("c1", "c"));
  await expect(call("d1", "d")).rejects.toMatchObject({ code: "busy", facts: { retryAfterSeconds: 5 } });

  release();
  expect(await Promise.all(all)).toEqual(["a1", "a2", "b1", "c1"]);
});

test("an owner whose only waiting task was aborted has no turn", async () => {
  const limited = concurrencyLimit({ concurrency: 1, maxQueuedPerOwner: 1 });
  const { task, started, release } = pendingTasks();
  const controller = new AbortController();
  const first = limited(task("a1"), { owner: "a" });
  const aborted = limited(task("b1"), { owner: "b", signal: controller.signal });
  const last = limited(task("c1"), { owner: "c" });

  controller.abort(new Error("gone"));
  const again = limited(task("b2"), { owner: "b" });
  release();

  await expect(aborted).rejects.toThrow("gone");
  await Promise.all([first, last, again]);
  expect(started).toEqual(["a1", "c1", "b2"]);
});

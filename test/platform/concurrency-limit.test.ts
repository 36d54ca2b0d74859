import { expect, test } from "bun:test";
import { concurrencyLimit } from "../../src/platform/concurrency-limit.ts";

/** Work that ends when the test says so. */
function held() {
  const { promise, resolve } = Promise.withResolvers<void>();
  const started: string[] = [];
  const work = (name: string) => () => {
    started.push(name);
    return promise.then(() => name);
  };
  return { work, started, release: resolve };
}

test("as many run at a time as may, the others in the order they came", async () => {
  const enter = concurrencyLimit({ concurrency: 2, queueLength: 10, retryAfterSeconds: 5 });
  const { work, started, release } = held();

  const all = ["a", "b", "c", "d"].map((name) => enter(work(name)));
  expect(started).toEqual(["a", "b"]);

  release();
  expect(await Promise.all(all)).toEqual(["a", "b", "c", "d"]);
  expect(started).toEqual(["a", "b", "c", "d"]);
});

test("who finds the queue full is told to come back", async () => {
  const enter = concurrencyLimit({ concurrency: 1, queueLength: 1, retryAfterSeconds: 5 });
  const { work, release } = held();
  const [first, second] = [enter(work("first")), enter(work("second"))];

  expect(enter(work("third"))).rejects.toMatchObject({ code: "busy", facts: { retryAfterSeconds: 5 } });

  release();
  expect(await Promise.all([first, second])).toEqual(["first", "second"]);
  expect(await enter(async () => "later")).toBe("later");
});

test("who leaves while waiting makes room in the line", async () => {
  const enter = concurrencyLimit({ concurrency: 1, queueLength: 1, retryAfterSeconds: 5 });
  const { work, started, release } = held();
  const leaving = new AbortController();
  const [first, second] = [enter(work("first")), enter(work("second"), leaving.signal)];

  leaving.abort(new Error("gone"));
  const third = enter(work("third"));
  release();

  expect(second).rejects.toThrow("gone");
  expect(await Promise.all([first, third])).toEqual(["first", "third"]);
  expect(started).toEqual(["first", "third"]);
});

test("who enters before leaving gives the place on once", async () => {
  const enter = concurrencyLimit({ concurrency: 1, queueLength: 5, retryAfterSeconds: 5 });
  const { work, started, release } = held();
  const leaving = new AbortController();
  const all = [enter(work("first")), enter(work("second"), leaving.signal), enter(work("third"))];

  release();
  await all[1];
  leaving.abort();
  await Promise.all(all);

  expect(started).toEqual(["first", "second", "third"]);
});

test("work that fails leaves its place to the next", async () => {
  const enter = concurrencyLimit({ concurrency: 1, queueLength: 5, retryAfterSeconds: 5 });
  const failed = enter(() => Promise.reject(new Error("no")));
  const next = enter(async () => "next");

  expect(failed).rejects.toThrow("no");
  expect(await next).toBe("next");
});

import { beforeEach, expect, test } from "bun:test";
import { type Checkpoint, CheckpointedSteps, type Json } from "../../../src/domain/idempotency/checkpoints.ts";
import { DomainError, type ErrorCode, isDomainError } from "../../../src/errors.ts";

let stored: Map<string, Checkpoint>;
let client: AbortController;
let history: string[];

beforeEach(() => {
  stored = new Map();
  client = new AbortController();
  history = [];
});

const mapStore = {
  async save(name: string, checkpoint: Checkpoint) {
    history.push(`${name} ${checkpoint.state}`);
    stored.set(name, checkpoint);
    return true;
  },
  clear: async (name: string) => stored.delete(name),
};

/** A new attempt at the request, with the stored checkpoints of earlier attempts. */
const newAttempt = (store = mapStore) => new CheckpointedSteps(store, new Map(stored), client.signal);

const facts = { provider: "P", retryAfterSeconds: 1, reason: "r", seconds: 1, issues: [], path: "", models: [] };
// safe because these facts cover every code in this file
const failing = (code: ErrorCode) => async () => Promise.reject(new DomainError(code, facts as never));

const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => "resolved",
    (error) => (isDomainError(error) ? error.code : error.name),
  );

test("returns the stored result of a step that is done, without running it", async () => {
  expect(await newAttempt().runOnce("image", async () => ({ key: "a.png" }))).toEqual({ key: "a.png" });

  const again = newAttempt();
  expect(await again.runOnce("image", async (): Promise<Json> => "another")).toEqual({ key: "a.png" });
  expect(again.mayHaveBilled()).toBe(false);
});

test("saves a checkpoint before a step runs, and its result before it is returned", async () => {
  await newAttempt().runOnce("image", async () => {
    history.push("runs");
    return 1;
  });

  expect(history).toEqual(["image started", "runs", "image done"]);
});

test("never runs an interrupted step again and reports the reason", async () => {
  stored.set("image", { state: "started" });
  let runs = 0;
  const again = newAttempt();

  const error = await again.runOnce("image", async () => ++runs).catch((thrown) => thrown);
  expect(error.code).toBe("provider_error");
  expect(error.message).toContain("may have been billed: use a new key");
  expect([runs, again.mayHaveBilled()]).toEqual([0, true]);
});

test.each(["provider_timeout", "provider_overloaded"] as const)(
  "a job goes on after %s, and the next attempt resumes it",
  async (code) => {
    const first = newAttempt();
    const begun = first.runOnce("video", async (job) => {
      await job.save("v1_abc");
      return failing(code)();
    });
    expect([await codeOf(begun), first.mayHaveBilled()]).toEqual([code, false]);
    expect(await newAttempt().runOnce("video", async ({ id = "" }) => id)).toBe("v1_abc");
  },
);

test("resumes the job of a step", async () => {
  const jobSaved = Promise.withResolvers<void>();
  void newAttempt().runOnce("video", async (job) => {
    expect(job.id).toBeUndefined();
    await job.save("v1_abc");
    jobSaved.resolve();
    // never resolves: the process dies
    return new Promise<never>(() => {});
  });
  await jobSaved.promise;

  expect(await newAttempt().runOnce("video", async ({ id }) => `of ${id}`)).toBe("of v1_abc");
  expect(stored.get("video")).toEqual({ state: "done", result: "of v1_abc" });
});

const unbilled: ErrorCode[] = [
  "validation_error",
  "provider_key_required",
  "provider_key_rejected",
  "provider_model_unavailable",
  "provider_rejected_request",
  "media_too_large",
  "provider_rate_limited",
  "url_not_allowed",
  "provider_quota_exhausted",
  "provider_overloaded",
  "url_unreachable",
];

test.each(unbilled)("after %s a step may run again", async (code) => {
  const first = newAttempt();
  expect(await codeOf(first.runOnce("image", failing(code)))).toBe(code);

  expect(first.mayHaveBilled()).toBe(false);
  expect(await first.runOnce("image", async () => 1)).toBe(1);
});

const possiblyBilled: ErrorCode[] = [
  "provider_timeout",
  "provider_error",
  "provider_bad_response",
  "content_refused",
  "unavailable",
  "storage_full",
];

test.each(possiblyBilled)("after %s a step never runs again", async (code) => {
  const first = newAttempt();
  expect(await codeOf(first.runOnce("image", failing(code)))).toBe(code);

  expect(first.mayHaveBilled()).toBe(true);
  expect(await codeOf(newAttempt().runOnce("image", async () => 1))).toBe("provider_error");
});

test("counts an internal error as possibly billed", async () => {
  const first = newAttempt();
  await expect(first.runOnce("image", async () => Promise.reject(new TypeError("undefined")))).rejects.toThrow(
    "undefined",
  );

  expect(first.mayHaveBilled()).toBe(true);
});

test("a failure before any provider call is not billed, and keeps the job", async () => {
  const first = newAttempt();
  expect(await codeOf(first.runOnce("image", failing("storage_full"), () => true))).toBe("storage_full");
  expect([first.mayHaveBilled(), stored.size]).toEqual([false, 0]);

  stored.set("video", { state: "job", id: "v1_abc" });
  expect(await codeOf(newAttempt().runOnce("video", failing("storage_full"), () => true))).toBe("storage_full");
  expect(stored.get("video")).toEqual({ state: "job", id: "v1_abc" });
});

test("cancels a step and its job when the client disconnects; the step may run again", async () => {
  const first = newAttempt();
  const step = first.runOnce("video", async (job) => {
    await job.save("v1_abc");
    client.abort();
    client.signal.throwIfAborted();
    return 1;
  });

  expect(await codeOf(step)).toBe("AbortError");
  expect([first.mayHaveBilled(), stored.size]).toEqual([false, 0]);
});

test("a timeout may have been billed even if the client disconnects", async () => {
  client.abort();
  const first = newAttempt();

  expect(await codeOf(first.runOnce("video", failing("provider_timeout")))).toBe("provider_timeout");
  expect(first.mayHaveBilled()).toBe(true);
});

test("keeps a job after a failed status request", async () => {
  stored.set("video", { state: "job", id: "v1_abc" });
  const again = newAttempt();

  expect(await codeOf(again.runOnce("video", failing("provider_key_rejected")))).toBe("provider_key_rejected");
  expect(again.mayHaveBilled()).toBe(false);
  expect(await newAttempt().runOnce("video", async ({ id = "" }) => id)).toBe("v1_abc");
});

test("concurrent calls of one step run it once", async () => {
  let runs = 0;
  const steps = newAttempt();
  const both = await Promise.all([1, 2].map(() => steps.runOnce("asset", async () => ++runs)));

  expect([both, runs]).toEqual([[1, 1], 1]);
});

test("runs nothing once another attempt has claimed the request", async () => {
  let runs = 0;
  const late = newAttempt({ ...mapStore, save: async () => false });

  expect(await codeOf(late.runOnce("image", async () => ++runs))).toBe("request_in_progress");
  expect(runs).toBe(0);
});

test("runs no step without a saved checkpoint, and returns a paid result even if saving it fails", async () => {
  let isDown = true;
  const save = (name: string, checkpoint: Checkpoint) =>
    isDown ? Promise.reject(new DomainError("unavailable", {})) : mapStore.save(name, checkpoint);
  let runs = 0;
  const steps = newAttempt({ ...mapStore, save });

  expect(await codeOf(steps.runOnce("image", async () => ++runs))).toBe("unavailable");
  expect([runs, steps.mayHaveBilled()]).toEqual([0, false]);

  isDown = false;
  const result = await steps.runOnce("image", async (job) => {
    isDown = true;
    await job.save("v1_abc");
    return ++runs;
  });
  expect(result).toBe(1);
});

test("settled waits for all running steps after one has failed", async () => {
  const steps = newAttempt();
  const slow = Promise.withResolvers<number>();
  void steps.runOnce("slow", () => slow.promise);
  await codeOf(steps.runOnce("quick", failing("provider_rate_limited")));

  const settled = steps.settled().then(() => history.push("settled"));
  slow.resolve(1);
  await settled;
  expect(history.at(-2)).toBe("slow done");
  expect(history.at(-1)).toBe("settled");
});

/** Creates things under ids that count up; `refusal` is thrown after the thing was created. */
function creating(name: string, refusal?: ErrorCode) {
  const create = async (id: string) => {
    history.push(`creates ${id}`);
    if (refusal) await failing(refusal)();
    return id;
  };
  return { newId: () => `${name} ${history.length}`, find: async () => undefined, create };
}

test("stores the id of what is created first, and a retry after an unknown outcome creates it under the same id", async () => {
  expect(await codeOf(newAttempt().createOnce("export", creating("exp", "unavailable")))).toBe("unavailable");
  expect(await newAttempt().createOnce("export", creating("exp"))).toBe("exp 0");

  expect(history).toEqual(["export job", "creates exp 0", "creates exp 0"]);
});

test("a retry returns what was created, without creating it", async () => {
  await newAttempt().createOnce("export", creating("exp"));
  const found = { ...creating("exp"), find: async (id: string) => `found ${id}` };

  expect(await newAttempt().createOnce("export", found)).toBe("found exp 0");
});

test("forgets the id of what was refused", async () => {
  expect(await codeOf(newAttempt().createOnce("export", creating("exp", "content_refused")))).toBe("content_refused");

  expect([...stored.keys()]).toEqual([]);
});

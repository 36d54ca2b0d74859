import { beforeEach, expect, test } from "bun:test";
import type { Json } from "../../../src/domain/ai/provider-calls.ts";
import { type Checkpoint, keyedSteps } from "../../../src/domain/idempotency/checkpoints.ts";
import { DomainError, type ErrorCode, isDomainError } from "../../../src/errors.ts";

let kept: Map<string, Checkpoint>;
let client: AbortController;
let history: string[];

beforeEach(() => {
  [kept, client, history] = [new Map(), new AbortController(), []];
});

const remembering = {
  async keep(name: string, step: Checkpoint) {
    history.push(`${name} ${step.state}`);
    kept.set(name, step);
    return true;
  },
  forget: async (name: string) => kept.delete(name),
};

/** A try at the request: it knows of earlier ones only what was kept. */
const oneTry = (memory = remembering) => keyedSteps(memory, new Map(kept), client.signal);

const facts = { provider: "P", retryAfterSeconds: 1, reason: "r", seconds: 1, issues: [], path: "", byDefault: false };
// safe because these facts are enough for every code that is tried here
const failing = (code: ErrorCode) => async () => Promise.reject(new DomainError(code, facts as never));

const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => "resolved",
    (error) => (isDomainError(error) ? error.code : error.name),
  );

test("a step that was done gives its result again, without being run", async () => {
  expect(await oneTry().once("image", async () => ({ key: "a.png" }))).toEqual({ key: "a.png" });

  const again = oneTry();
  expect(await again.once("image", async (): Promise<Json> => "another")).toEqual({ key: "a.png" });
  expect(again.mayHaveBilled()).toBe(false);
});

test("a step is marked before it runs, and its result kept before it is given", async () => {
  await oneTry().once("image", async () => {
    history.push("runs");
    return 1;
  });

  expect(history).toEqual(["image started", "runs", "image done"]);
});

test("a step that was interrupted is never run again, and says why", async () => {
  kept.set("image", { state: "started" });
  let runs = 0;
  const again = oneTry();

  const error = await again.once("image", async () => ++runs).catch((thrown) => thrown);
  expect(error.code).toBe("provider_error");
  expect(error.message).toContain("may have been billed: use a new key");
  expect([runs, again.mayHaveBilled()]).toEqual([0, true]);
});

test("a step that left a job goes on with it", async () => {
  const jobKept = Promise.withResolvers<void>();
  void oneTry().once("video", async (job) => {
    expect(job.id).toBeUndefined();
    await job.keep("v1_abc");
    jobKept.resolve();
    // until the process dies
    return new Promise<never>(() => {});
  });
  await jobKept.promise;

  expect(await oneTry().once("video", async ({ id }) => `of ${id}`)).toBe("of v1_abc");
  expect(kept.get("video")).toEqual({ state: "done", result: "of v1_abc" });
});

const unbilled: ErrorCode[] = [
  ...(["validation_error", "provider_key_required", "provider_key_rejected", "provider_model_unavailable"] as const),
  ...(["provider_rejected_request", "media_too_large", "provider_rate_limited", "url_not_allowed"] as const),
  ...(["provider_quota_exhausted", "provider_overloaded", "url_unreachable"] as const),
];

test.each(unbilled)("after %s a step may run again", async (code) => {
  const first = oneTry();
  expect(await codeOf(first.once("image", failing(code)))).toBe(code);

  expect(first.mayHaveBilled()).toBe(false);
  expect(await first.once("image", async () => 1)).toBe(1);
});

const perhapsBilled: ErrorCode[] = [
  ...(["provider_timeout", "provider_error", "provider_bad_response", "content_refused"] as const),
  ...(["unavailable", "storage_full"] as const),
];

test.each(perhapsBilled)("after %s a step never runs again", async (code) => {
  const first = oneTry();
  expect(await codeOf(first.once("image", failing(code)))).toBe(code);

  expect(first.mayHaveBilled()).toBe(true);
  expect(await codeOf(oneTry().once("image", async () => 1))).toBe("provider_error");
});

test("a defect of ours counts as billed", async () => {
  const first = oneTry();
  await expect(first.once("image", async () => Promise.reject(new TypeError("undefined")))).rejects.toThrow(
    "undefined",
  );

  expect(first.mayHaveBilled()).toBe(true);
});

test("a failure before any provider was asked was not billed, and a job stays", async () => {
  const first = oneTry();
  expect(await codeOf(first.once("image", failing("storage_full"), () => true))).toBe("storage_full");
  expect([first.mayHaveBilled(), kept.size]).toEqual([false, 0]);

  kept.set("video", { state: "job", id: "v1_abc" });
  expect(await codeOf(oneTry().once("video", failing("storage_full"), () => true))).toBe("storage_full");
  expect(kept.get("video")).toEqual({ state: "job", id: "v1_abc" });
});

test("a step whose caller left was cancelled, its job too, and may run again", async () => {
  const first = oneTry();
  const step = first.once("video", async (job) => {
    await job.keep("v1_abc");
    client.abort();
    client.signal.throwIfAborted();
    return 1;
  });

  expect(await codeOf(step)).toBe("AbortError");
  expect([first.mayHaveBilled(), kept.size]).toEqual([false, 0]);
});

test("a deadline that passes while the caller leaves may have been billed", async () => {
  client.abort();
  const first = oneTry();

  expect(await codeOf(first.once("video", failing("provider_timeout")))).toBe("provider_timeout");
  expect(first.mayHaveBilled()).toBe(true);
});

test("a job outlives an answer about it that settles nothing", async () => {
  kept.set("video", { state: "job", id: "v1_abc" });
  const again = oneTry();

  expect(await codeOf(again.once("video", failing("provider_key_rejected")))).toBe("provider_key_rejected");
  expect(again.mayHaveBilled()).toBe(false);
  expect(await oneTry().once("video", async ({ id = "" }) => id)).toBe("v1_abc");
});

test("a step asked for twice at once runs once", async () => {
  let runs = 0;
  const steps = oneTry();
  const both = await Promise.all([1, 2].map(() => steps.once("asset", async () => ++runs)));

  expect([both, runs]).toEqual([[1, 1], 1]);
});

test("nothing runs for a request that somebody else has taken over", async () => {
  let runs = 0;
  const late = oneTry({ ...remembering, keep: async () => false });

  expect(await codeOf(late.once("image", async () => ++runs))).toBe("request_in_progress");
  expect(runs).toBe(0);
});

test("nothing runs that could not be marked, and what is paid for is given even if it cannot be kept", async () => {
  let isDown = true;
  const keep = (name: string, step: Checkpoint) =>
    isDown ? Promise.reject(new DomainError("unavailable", {})) : remembering.keep(name, step);
  let runs = 0;
  const steps = oneTry({ ...remembering, keep });

  expect(await codeOf(steps.once("image", async () => ++runs))).toBe("unavailable");
  expect([runs, steps.mayHaveBilled()]).toEqual([0, false]);

  isDown = false;
  const result = await steps.once("image", async (job) => {
    isDown = true;
    await job.keep("v1_abc");
    return ++runs;
  });
  expect(result).toBe(1);
});

test("settling waits for steps that run beside one that failed", async () => {
  const steps = oneTry();
  const slow = Promise.withResolvers<number>();
  void steps.once("slow", () => slow.promise);
  await codeOf(steps.once("quick", failing("provider_rate_limited")));

  const settled = steps.settled().then(() => history.push("settled"));
  slow.resolve(1);
  await settled;
  expect(history.at(-2)).toBe("slow done");
  expect(history.at(-1)).toBe("settled");
});

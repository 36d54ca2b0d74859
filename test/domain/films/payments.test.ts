import { expect, test } from "bun:test";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { type ProviderCall, type ProviderCallPorts, providerCall } from "../../../src/domain/ai/provider-calls.ts";
import { failureOf, nextAttempt, recoveredStep } from "../../../src/domain/films/failures.ts";
import type { FilmStep } from "../../../src/domain/films/film.ts";
import { type Checkpoint, CheckpointedSteps, type JobCheckpoint } from "../../../src/domain/idempotency/checkpoints.ts";
import type { CallResult } from "../../../src/domain/ledger/call.ts";
import type { CallState } from "../../../src/domain/ledger/ledger.ts";
import type { Micros } from "../../../src/domain/ledger/money.ts";
import { newSpending } from "../../../src/domain/ledger/paid-calls.ts";
import { priceTable } from "../../../src/domain/ledger/prices.ts";
import { DomainError } from "../../../src/errors.ts";
import { processStopped } from "../../../src/platform/async.ts";
import { TransientError } from "../../../src/providers/client/error-responses.ts";
import { badResponse } from "../../../src/providers/client/errors.ts";
import { runJob } from "../../../src/providers/client/job.ts";
import { retryUnpaid, withRetry } from "../../../src/providers/client/retry.ts";
import { credentialsFor } from "../../support/models/model-calls.ts";

const credentials = credentialsFor("", "m");
const price = { provider: "acme", model: "m", currency: "USD", asOf: "2026-01-01", source: "test" } as const;
const prices = priceTable([
  { ...price, category: "image", unit: "image", price: "0.05" },
  { ...price, model: "clip", category: "video", unit: "second", price: "0.1" },
  { ...price, model: "text", category: "llm", unit: "output_token_million", price: "1000" },
]);
const cost = { picture: 50_000n, clip: 300_000n, text: 7_000n };
type Kind = keyof typeof cost;
const targets = {
  picture: { provider: "acme", model: "m", purpose: "image", bound: { images: 1 } },
  clip: { provider: "acme", model: "clip", purpose: "video", bound: { seconds: 3 } },
  text: { provider: "acme", model: "text", purpose: "scenario", bound: { outputTokens: 20 } },
} as const;

/** The end of a request. It is unknown whether `brokenAfter` is charged for. */
const ends = ["ok", "useless", "refused", "brokenBefore", "brokenAfter", "lost", "late", "killed"] as const;
/** How a job ends that was begun. */
const jobEnds = ["ok", "useless", "failed", "late", "silent", "killed"] as const;
const finalEnds: readonly JobEnd[] = ["ok", "useless", "failed"];
type End = (typeof ends)[number];
type JobEnd = (typeof jobEnds)[number];

/** A ledger in memory. */
function ledgerOf() {
  const rows = new Map<string, { state: CallState; cost: Micros; estimate: Micros }>();
  const ledger: ProviderCallPorts["ledger"] = {
    reserve: async ({ id, estimate = 0n }) => void rows.set(id, { state: "reserved", cost: 0n, estimate }),
    resume: async (_, { callId = "" }) => (rows.get(callId)?.state === "released" ? undefined : callId),
    isWanted: async () => true,
    async end({ id, state, cost: paid, begun }) {
      const row = rows.get(id)!;
      if (!["reserved", "unknown"].includes(row.state)) return undefined;
      rows.set(id, { ...row, state, cost: paid });
      return { provider: "acme", model: "m", scope: begun ?? { userId: "ann" }, freed: 0n };
    },
  };
  const sumOf = (state: CallState, field: "cost" | "estimate") =>
    [...rows.values()].reduce((sum, row) => sum + (row.state === state ? row[field] : 0n), 0n);
  /** Does what the ledger does with the calls of a dead process. */
  const endAbandoned = () => {
    for (const row of rows.values()) if (row.state === "reserved") row.state = "unknown";
  };
  return { ledger, rows, sumOf, endAbandoned };
}

const leases = { acquire: async () => true, renew: async () => [], release: async () => {} };
const unanswered = () => new TransientError("provider_error", { reason: "it broke", unanswered: true }, 0);
const refusals = () => new TransientError("provider_overloaded", { provider: "Acme", retryAfterSeconds: 0 }, 0);

/** A step of a film, whose owner orders it once and retries it `retries` times when the film waits for the step. */
async function makeStep(kind: Kind, script: readonly End[], jobs: readonly JobEnd[], retries: number) {
  const { ledger, rows, sumOf, endAbandoned } = ledgerOf();
  const provider = { billed: 0n, paidCalls: 0 };
  const charge = () => {
    provider.billed += cost[kind];
    provider.paidCalls += 1;
  };
  const [nextEnd, nextJobEnd] = [[...script], [...jobs]];
  let process = new AbortController();
  const kill = () => process.abort(processStopped);
  const never = async (signal: AbortSignal): Promise<never> => {
    if (!signal.aborted) await once(signal, "abort");
    throw signal.reason;
  };
  const usage = kind === "text" ? { outputTokens: 7 } : {};

  const answer = async (signal: AbortSignal): Promise<CallResult<string>> => {
    switch (nextEnd.shift() ?? "ok") {
      case "ok":
        charge();
        return { result: "made", ...usage };
      case "useless":
        charge();
        if (kind === "text") return { failure: badResponse(credentials, "it is none"), ...usage };
        throw badResponse(credentials, "it is none");
      case "refused":
        throw refusals();
      case "brokenBefore":
        throw new TransientError("provider_error", { reason: "nobody is there", unanswered: false }, 0);
      case "brokenAfter":
        charge();
        throw unanswered();
      case "lost":
        throw unanswered();
      case "late":
        charge();
        return await never(signal);
      case "killed":
        charge();
        kill();
        return await never(signal);
    }
  };

  let jobEnd: JobEnd = "late";
  const follow = async (signal: AbortSignal, checkpoint: JobCheckpoint): Promise<CallResult<string>> => {
    let looks = 0;
    // a job that has ended stays so
    const end = checkpoint.id === undefined || !finalEnds.includes(jobEnd) ? (nextJobEnd.shift() ?? "ok") : jobEnd;
    jobEnd = end;
    const status = await runJob<string>(
      {
        async create(startSignal) {
          await answer(startSignal);
          return { id: `job-${provider.paidCalls}`, status: "runs" };
        },
        async get() {
          looks++;
          if (end === "silent") throw refusals();
          if (end === "killed") kill();
          return looks > (end === "late" ? 3 : 1) ? (end === "failed" ? "failed" : "ended") : "runs";
        },
        hasEnded: (found) => found !== "runs",
        cancel: async () => void (process.signal.aborted || expect.unreachable()),
      },
      checkpoint,
      { credentials, backoff: () => 1, signal },
    );
    if (status === "failed") {
      provider.billed -= cost.clip;
      provider.paidCalls -= 1;
      throw new DomainError("provider_error", { reason: "the job failed" });
    }
    if (end === "useless") throw badResponse(credentials, "it is no video");
    return { result: "made", seconds: 3 };
  };

  const makeOnce = (call: ProviderCall, job: JobCheckpoint): Promise<string> => {
    const target = { ...targets[kind], job };
    const attempt = () =>
      call.track(target, (signal, tracked) => (kind === "clip" ? follow(signal, tracked) : answer(signal)));
    return kind === "text" ? withRetry(attempt, call.deadlineSignal(), retryUnpaid) : attempt();
  };

  let step: FilmStep = { id: "s", kind: "video", status: "waiting", dependsOn: [], attempts: [], checkpoints: {} };
  const order = { onUnknown: "wait" } as const;
  for (let tries = 0; retries >= 0; tries++) {
    expect(tries).toBeLessThan(40);
    process = new AbortController();
    const known = new Map<string, Checkpoint>(Object.entries(step.checkpoints));
    step = { ...step, status: "running", attempts: nextAttempt(step.attempts, { state: "running", startedAt: 1 }) };
    const store = {
      save: async (name: string, checkpoint: Checkpoint) => Boolean(known.set(name, checkpoint)),
      clear: async (name: string) => known.delete(name),
    };
    const steps = new CheckpointedSteps(store, new Map(known), process.signal);
    const spending = newSpending();
    const ports = { ledger, leases, prices, settings: { providerTimeoutMs: 2 } };
    const caller = { user: { id: "ann" } } as Parameters<typeof providerCall>[1];
    const call = providerCall(ports, caller, process.signal, steps, { spending, awaitsJobs: true });
    const error = await call
      .runOnce("call", (job) => makeOnce(call, job))
      .then(
        () => undefined,
        (thrown) => thrown,
      );
    if (process.signal.aborted) {
      // another process resumes from the stored state
      endAbandoned();
      const isUnclear = known.get("call")?.state === "started";
      const isSafe = false;
      step = recoveredStep(order, { ...step, checkpoints: Object.fromEntries(known) }, { isUnclear, isSafe });
    } else if (error === undefined) {
      step = { ...step, status: "done" };
    } else {
      const ended = { known, isSafe: false, isPaid: spending.isPaid };
      const { status, checkpoints, state } = failureOf(order, step, error, ended);
      const attempts = step.attempts.map((each, at) =>
        at === step.attempts.length - 1
          ? { ...each, state, cost: `${spending.cost}`, error: { code: error.code, message: "" } }
          : each,
      );
      step = { ...step, status, checkpoints, attempts };
    }
    if (step.status === "waiting") continue;
    if (step.status === "done" || retries-- === 0) break;
    step = { ...step, status: "stale", checkpoints: {} };
  }
  await sleep(0);
  return { rows, provider, settled: sumOf("settled", "cost"), unknown: sumOf("unknown", "estimate"), step };
}

test("however calls, jobs and processes end, the ledger has what the provider was paid, and nobody pays unasked", async () => {
  const kinds = fc.constantFrom<Kind>("picture", "clip", "text");
  const cases = [
    kinds,
    fc.array(fc.constantFrom(...ends), { maxLength: 6 }),
    fc.array(fc.constantFrom(...jobEnds), { maxLength: 6 }),
    fc.nat(2),
  ] as const;
  await fc.assert(
    fc.asyncProperty(...cases, async (kind, script, jobs, retries) => {
      const { rows, provider, settled, unknown, step } = await makeStep(kind, script, jobs, retries);
      expect([...rows.values()].filter(({ state }) => state === "reserved")).toEqual([]);
      expect(settled <= provider.billed && provider.billed <= settled + unknown).toBe(true);
      expect(provider.paidCalls).toBeLessThanOrEqual(1 + retries);
      // a job that is only slow, or of which nothing is told for a while, is made to its end
      const isMade = script.length === 0 && !jobs.some((end) => end === "useless" || end === "failed");
      if (isMade) expect([step.status, provider.paidCalls, unknown]).toEqual(["done", 1, 0n]);
    }),
    { numRuns: 150 },
  );
});

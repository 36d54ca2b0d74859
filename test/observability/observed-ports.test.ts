import { expect, test } from "bun:test";
import type { EndedCall, LedgerStore } from "../../src/domain/ledger/ledger.ts";
import type { RenderCache } from "../../src/engine/ports.ts";
import { observedCache, observedLedger } from "../../src/observability/observed-ports.ts";
import { prometheusMetrics } from "../../src/observability/prometheus.ts";
import { noTracing } from "../../src/platform/tracing.ts";
import { parseMetrics, type Sample, sumOf } from "../support/metrics-text.ts";

const samplesOf = async (metrics: { text(): Promise<string> }): Promise<readonly Sample[]> =>
  parseMetrics(await metrics.text());

/** A cache that has these keys. */
const cacheWith = (...keys: string[]): RenderCache => ({
  sizeOf: async () => undefined,
  find: async () => new Set(keys),
  linkTo: async (key) => keys.includes(key),
  put: async () => {},
  listProjects: async () => [],
  removeProject: async () => {},
});

test("parts count where they came from", async () => {
  const metrics = prometheusMetrics();
  const cache = observedCache(cacheWith("near", "far"), cacheWith("near"), metrics);
  expect(await Promise.all(["near", "far", "far", "nowhere"].map((key) => cache.linkTo(key, "path")))).toEqual([
    true,
    true,
    true,
    false,
  ]);
  await cache.put(["a", "b", "c", "d"].map((key) => ({ key, path: key })));

  const samples = await samplesOf(metrics);
  const counted = ["local", "shared", "rendered"].map((source) => sumOf(samples, "segments_total", { source }));
  expect(counted).toEqual([1, 2, 4]);
});

test("a call of a provider counts by provider, category and outcome, also if it cannot be booked", async () => {
  const metrics = prometheusMetrics();
  const stored: EndedCall[] = [];
  const store: Pick<LedgerStore, "reserve" | "end"> = {
    reserve: async () => {},
    async end(call) {
      stored.push(call);
      if (call.outcome === "provider_timeout") throw new Error("The database is away.");
      return undefined;
    },
  };
  // safe because the test calls no other method
  const ledger = observedLedger(store as LedgerStore, { metrics, tracing: noTracing });
  const target = { userId: "user_1", provider: "openai", model: "gpt", estimate: 0n, holderId: "h", createdAt: 0 };
  const ended = { state: "settled", cost: 0n, milliseconds: 1500 } as const;
  await ledger.reserve({ id: "call_1", purpose: "scenario", ...target });
  await ledger.end({ id: "call_1", ...ended, outcome: "ok" });
  await ledger.reserve({ id: "call_2", purpose: "image", ...target });
  await expect(ledger.end({ id: "call_2", ...ended, outcome: "provider_timeout" })).rejects.toThrow("away");

  expect(stored).toHaveLength(2);
  const samples = await samplesOf(metrics);
  const name = "provider_call_duration_seconds_count";
  expect(sumOf(samples, name, { provider: "openai", category: "llm", outcome: "ok" })).toBe(1);
  expect(sumOf(samples, name, { provider: "openai", category: "image", outcome: "provider_timeout" })).toBe(1);
  expect(sumOf(samples, "provider_call_duration_seconds_sum")).toBe(3);
  expect(await metrics.text()).not.toMatch(/user_1|call_1|gpt/);
});

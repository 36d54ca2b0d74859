import { expect, test } from "bun:test";
import type { UsageRecord } from "../../src/domain/ai/provider-calls.ts";
import type { RenderCache } from "../../src/domain/exports/renderer.ts";
import { noTracing } from "../../src/domain/telemetry/tracing.ts";
import { observedCache, observedUsage } from "../../src/observability/observed-ports.ts";
import { prometheusMetrics } from "../../src/observability/prometheus.ts";
import { parseMetrics, type Sample, sumOf } from "../helpers/metrics-text.ts";

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

test("a call of a provider counts by provider, category and outcome, also if its record cannot be stored", async () => {
  const metrics = prometheusMetrics();
  const stored: UsageRecord[] = [];
  const usage = observedUsage(
    {
      async add(call) {
        stored.push(call);
        if (call.outcome === "provider_timeout") throw new Error("The database is away.");
      },
      list: async () => ({ items: [] }),
      removeBefore: async () => 0,
    },
    { metrics, tracing: noTracing },
  );
  const call = { id: "call_1", userId: "user_1", provider: "openai", model: "gpt", createdAt: 0, milliseconds: 1500 };
  await usage.add({ ...call, purpose: "scenario", outcome: "ok" });
  await expect(usage.add({ ...call, purpose: "image", outcome: "provider_timeout" })).rejects.toThrow("away");

  expect(stored).toHaveLength(2);
  const samples = await samplesOf(metrics);
  const name = "provider_call_duration_seconds_count";
  expect(sumOf(samples, name, { provider: "openai", category: "llm", outcome: "ok" })).toBe(1);
  expect(sumOf(samples, name, { provider: "openai", category: "image", outcome: "provider_timeout" })).toBe(1);
  expect(sumOf(samples, "provider_call_duration_seconds_sum")).toBe(3);
  expect(await metrics.text()).not.toMatch(/user_1|call_1|gpt/);
});

import type { UsageRecord, UsageStore } from "../domain/ai/provider-calls.ts";
import type { ExportState } from "../domain/exports/jobs.ts";
import type { RenderCache } from "../domain/exports/renderer.ts";
import type { WebhookStore } from "../domain/exports/webhooks/webhooks.ts";
import type { Metrics, StoreRequestFacts } from "../domain/telemetry/metrics.ts";
import type { Telemetry } from "../domain/telemetry/telemetry.ts";

/** Counts the parts that exports take from `cache`, in front of which `local` is, and those that they render. */
export function observedCache(cache: RenderCache, local: RenderCache, metrics: Metrics): RenderCache {
  const isTaken = async (tier: RenderCache, source: "local" | "shared", [key, path]: [string, string]) => {
    const isLinked = await tier.linkTo(key, path);
    if (isLinked) metrics.partsProvided(source, 1);
    return isLinked;
  };
  return {
    ...cache,

    linkTo: async (...part) =>
      (await isTaken(local, "local", part)) || (cache !== local && (await isTaken(cache, "shared", part))),

    async put(parts) {
      metrics.partsProvided("rendered", parts.length);
      await cache.put(parts);
    },
  };
}

const categoryOf: Record<UsageRecord["purpose"], string> = {
  speech: "speech",
  transcript: "speech",
  analyze: "vision",
  describe: "vision",
  scenario: "llm",
  style_guide: "llm",
  image: "image",
  video: "video",
};

/** Every call of a provider leaves a usage record: it is counted there, and becomes a span. */
export const observedUsage = (usage: UsageStore, { metrics, tracing }: Telemetry): UsageStore => ({
  ...usage,

  async add(call) {
    const { provider, model, purpose, outcome, milliseconds } = call;
    const category = categoryOf[purpose];
    metrics.providerCalled({ provider, category, outcome, seconds: milliseconds / 1000 });
    tracing.ended({
      name: `${provider} ${purpose}`,
      kind: "client",
      attributes: { "gen_ai.provider.name": provider, "gen_ai.request.model": model, "reelwright.outcome": outcome },
      milliseconds,
      isFailed: outcome !== "ok",
    });
    await usage.add(call);
  },
});

export const observedWebhooks = (webhooks: WebhookStore, metrics: Metrics): WebhookStore => ({
  ...webhooks,

  async recordAttempt(delivery, attempt, state) {
    await webhooks.recordAttempt(delivery, attempt, state);
    metrics.webhookAttempted(attempt.outcome);
  },
});

/** Every request to the object store is counted, and becomes a span of the request or the export that it is for. */
export function storeObserved({ metrics, tracing }: Telemetry, request: StoreRequestFacts): void {
  metrics.storeRequested(request);
  const { operation, status, seconds } = request;
  tracing.ended({
    name: `store ${operation}`,
    kind: "client",
    attributes: { "reelwright.status": status },
    milliseconds: seconds * 1000,
    isFailed: status === "none" || status.startsWith("5"),
  });
}

export function countExport(metrics: Metrics, { status, failure, createdAt, finishedAt = Date.now() }: ExportState) {
  const code = failure?.code ?? "";
  metrics.exportEnded({ outcome: status, code, seconds: Math.max(0, finishedAt - createdAt) / 1000 });
}

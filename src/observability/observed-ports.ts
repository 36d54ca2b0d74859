import type { UsageRecord } from "../domain/ai/provider-calls.ts";
import { type BatchStore, hasEnded as batchHasEnded } from "../domain/batches/batch.ts";
import type { ExportState } from "../domain/exports/lifecycle/jobs.ts";
import type { WebhookStore } from "../domain/exports/webhooks/webhooks.ts";
import { type FilmStore, hasEnded } from "../domain/films/film.ts";
import type { LedgerStore } from "../domain/ledger/ledger.ts";
import type { Metrics, StoreRequestFacts, Telemetry } from "../domain/telemetry/telemetry.ts";
import type { EndedProcess, RenderCache } from "../engine/ports.ts";
import { isDomainError } from "../errors.ts";

/** Counts parts of exports: taken from `cache`, which `local` precedes, or rendered. */
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
  music: "music",
  analyze: "vision",
  describe: "vision",
  match: "vision",
  scenario: "llm",
  style_guide: "llm",
  translation: "llm",
  image: "image",
  video: "video",
};

/** Counts every booked call of a provider, and traces it as a span. */
export function observedLedger(ledger: LedgerStore, { metrics, tracing }: Telemetry): LedgerStore {
  const running = new Map<string, Pick<UsageRecord, "provider" | "model" | "purpose">>();
  return {
    ...ledger,

    async reserve(call) {
      try {
        await ledger.reserve(call);
      } catch (error) {
        if (isDomainError(error) && "budget" in error.facts) metrics.budgetRefused(error.facts.budget.scope);
        throw error;
      }
      running.set(call.id, call);
    },

    async end(call) {
      const { id, outcome, milliseconds } = call;
      const target = running.get(id);
      running.delete(id);
      // only once, though a failed booking is repeated
      if (target) {
        const { provider, model, purpose } = target;
        const category = categoryOf[purpose];
        metrics.providerCalled({ provider, category, outcome, seconds: milliseconds / 1000 });
        tracing.ended({
          name: `${provider} ${purpose}`,
          kind: "client",
          attributes: {
            "gen_ai.provider.name": provider,
            "gen_ai.request.model": model,
            "reelwright.outcome": outcome,
          },
          milliseconds,
          isFailed: outcome !== "ok",
        });
      }
      const ended = await ledger.end(call);
      // models with a cost are in the price table: a name that only a caller used never becomes a label
      if (ended && call.cost > 0n) metrics.spent({ provider: ended.provider, model: ended.model, amount: call.cost });
      return ended;
    },
  };
}

/** Counts films when their end is stored. */
export const observedFilms = (films: FilmStore, metrics: Metrics): FilmStore => ({
  ...films,

  async change(film, edit, options) {
    let wasOpen = false;
    const changed = await films.change(
      film,
      (found, committed, work) => {
        wasOpen = !hasEnded(found);
        return edit(found, committed, work);
      },
      options,
    );
    if (wasOpen && changed && hasEnded(changed)) metrics.filmsEnded(changed.status, 1);
    return changed;
  },

  async endWaiting(before) {
    const count = await films.endWaiting(before);
    metrics.filmsEnded("error", count);
    return count;
  },
});

const endsOfItems = ["invalid", "unchanged", "done", "error"] as const;

/** Counts batches and their films when their end is stored. */
export const observedBatches = (batches: BatchStore, metrics: Metrics): BatchStore => ({
  ...batches,

  async change(batch, edit, options) {
    let wasOpen = false;
    const changed = await batches.change(
      batch,
      (found, committed) => {
        wasOpen = !batchHasEnded(found);
        return edit(found, committed);
      },
      options,
    );
    if (wasOpen && changed && batchHasEnded(changed)) metrics.batchEnded(changed.status);
    return changed;
  },

  async addChecked(batch, items, progress) {
    const isAdded = await batches.addChecked(batch, items, progress);
    for (const outcome of endsOfItems) {
      const count = items.filter(({ status }) => status === outcome).length;
      if (isAdded && count > 0) metrics.batchFilmsEnded(outcome, count);
    }
    return isAdded;
  },

  async changeItem(batch, itemId, changes) {
    const changed = await batches.changeItem(batch, itemId, changes);
    const outcome = endsOfItems.find((each) => each === changes.status);
    if (changed && outcome) metrics.batchFilmsEnded(outcome, 1);
    return changed;
  },
});

export const observedWebhooks = (webhooks: WebhookStore, metrics: Metrics): WebhookStore => ({
  ...webhooks,

  async recordAttempt(delivery, attempt, state) {
    await webhooks.recordAttempt(delivery, attempt, state);
    metrics.webhookAttempted(attempt.outcome);
  },
});

/** Counts every process of ffmpeg, and traces it as a span of its request or export. */
export function ffmpegObserved({ metrics, tracing }: Telemetry, process: EndedProcess): void {
  metrics.ffmpegEnded(process);
  const { outcome, milliseconds, userSeconds, systemSeconds } = process;
  tracing.ended({
    name: "ffmpeg",
    // as a call of another program, it starts no trace
    kind: "client",
    attributes: { "reelwright.outcome": outcome, "process.cpu.seconds": userSeconds + systemSeconds },
    milliseconds,
    isFailed: outcome === "failed",
  });
}

/** Counts every request to the object store, and traces it as a span of its request or export. */
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

import { currentOrigin, runFrom } from "../../../platform/origin.ts";
import type { Telemetry } from "../../telemetry/telemetry.ts";
import type { Film, FilmStep } from "../film.ts";
import type { runStep } from "./run-step.ts";

type EndedRun = Awaited<ReturnType<typeof runStep>>;

/**
 * Runs a step as a span of the trace of the film's order, whoever has woken the film and wherever it runs, and measures
 * it. What the step enqueues, such as the film's export, is below that span.
 */
export function inFilmStep(
  { metrics, tracing }: Telemetry,
  { traceparent: parent }: Pick<Film, "traceparent">,
  { kind }: Pick<FilmStep, "kind">,
  run: () => Promise<EndedRun>,
): Promise<EndedRun> {
  const origin = currentOrigin();
  return tracing.span(
    { name: `film ${kind}`, kind: "consumer", parent: parent ?? origin.traceparent },
    async (span) => {
      const startedAt = performance.now();
      const ended = await runFrom({ ...origin, ...(span.traceparent && { traceparent: span.traceparent }) }, run);
      if (!ended) return ended;
      const outcome = ended.halt ? "waiting" : ended.state;
      span.set({ "reelwright.outcome": outcome });
      if (outcome === "error" || outcome === "unknown") span.fail();
      metrics.stepEnded({ kind, outcome, seconds: (performance.now() - startedAt) / 1000 });
      return ended;
    },
  );
}

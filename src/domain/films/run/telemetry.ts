import { currentOrigin, runFrom } from "../../../platform/tracing.ts";
import type { Telemetry } from "../../telemetry/telemetry.ts";
import type { Film, FilmStep } from "../film.ts";
import type { runStep } from "./step.ts";

type EndedRun = Awaited<ReturnType<typeof runStep>>;

/** Runs a step in a span of its order's trace, in any process; spans of its jobs are below it. */
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

import { type ExportStage, type Metrics, noMetrics } from "./metrics.ts";
import { noTracing, type Tracing } from "./tracing.ts";

export type Telemetry = { readonly metrics: Metrics; readonly tracing: Tracing };

export const noTelemetry: Telemetry = { metrics: noMetrics, tracing: noTracing };

/** Runs a part of an export as a span and measures its duration, also if it fails. */
export async function inStage<Result>(
  { metrics, tracing }: Telemetry,
  stage: ExportStage,
  run: () => Promise<Result>,
): Promise<Result> {
  const startedAt = performance.now();
  try {
    return await tracing.span({ name: `export ${stage}` }, run);
  } finally {
    metrics.stageEnded(stage, (performance.now() - startedAt) / 1000);
  }
}

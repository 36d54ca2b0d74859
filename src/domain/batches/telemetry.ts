import { currentOrigin, runFrom } from "../../platform/tracing.ts";
import type { Telemetry } from "../telemetry/telemetry.ts";
import type { Batch } from "./batch.ts";

/** Runs a part of a batch in a span of its order's trace, in any process. */
export function inBatchSpan<Result>(
  { tracing }: Telemetry,
  { traceparent: parent }: Pick<Batch, "traceparent">,
  part: "check" | "film",
  run: () => Promise<Result>,
): Promise<Result> {
  const origin = currentOrigin();
  return tracing.span({ name: `batch ${part}`, kind: "consumer", parent: parent ?? origin.traceparent }, (span) =>
    runFrom({ ...origin, ...(span.traceparent && { traceparent: span.traceparent }) }, run),
  );
}

import { currentOrigin, runFrom } from "../../platform/tracing.ts";
import type { Telemetry } from "../telemetry/telemetry.ts";
import type { Batch } from "./batch.ts";

/** A part of a batch as a span of the trace of its order, whichever process goes on with it. */
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

import { noTracing, type Tracing } from "../../platform/tracing.ts";
import { type Metrics, noMetrics } from "./metrics.ts";

export type Telemetry = { readonly metrics: Metrics; readonly tracing: Tracing };

export const noTelemetry: Telemetry = { metrics: noMetrics, tracing: noTracing };

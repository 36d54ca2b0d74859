import packageFile from "../../package.json";
import { noTelemetry, type Telemetry } from "../domain/telemetry/telemetry.ts";
import type { Environment } from "../env.ts";
import type { PrometheusMetrics } from "../observability/prometheus.ts";

export const { version } = packageFile;

export type OpenTelemetry = Telemetry & {
  /** Undefined unless a setting asks for metrics. */
  readonly prometheus?: PrometheusMetrics;
  /** Sends the remaining spans, for at most a second. Never rejects. */
  close(): Promise<void>;
};

/** Loads the packages for metrics and traces only if a setting requires them. */
export async function openTelemetry(env: Environment): Promise<OpenTelemetry> {
  const hasMetrics = env.METRICS_PORT !== undefined || env.METRICS_TOKEN !== undefined;
  const prometheus = hasMetrics ? (await import("../observability/prometheus.ts")).prometheusMetrics() : undefined;
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_TRACES_SAMPLER_ARG: sampledShare } = env;
  const traces = endpoint
    ? (await import("../observability/opentelemetry.ts")).openTracing({
        version,
        role: env.ROLE,
        endpoint,
        sampledShare,
      })
    : undefined;
  return {
    ...(prometheus && { prometheus }),
    metrics: prometheus ?? noTelemetry.metrics,
    tracing: traces ?? noTelemetry.tracing,
    close: traces?.close ?? (async () => {}),
  };
}

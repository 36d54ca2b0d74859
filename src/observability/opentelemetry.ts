import { hostname } from "node:os";
import {
  type Attributes,
  type Context,
  context,
  type Span as OpenTelemetrySpan,
  propagation,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { resourceFromAttributes } from "@opentelemetry/resources";
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import type { Span, SpanOptions, Tracing } from "../platform/tracing.ts";

export type OpenTracing = Tracing & {
  /** Sends the remaining spans, for at most a second. Never rejects. */
  close(): Promise<void>;
};

const exportTimeoutMs = 5_000;
const closeMs = 1_000;

type TracingOptions = {
  readonly version: string;
  /** The role of the process: `all`, `api` or `worker`. */
  readonly role: string;
  /** The URL of the receiver. */
  readonly endpoint: string;
  /** The sampled share of traces that begin here; callers decide about their own. */
  readonly sampledShare: number;
};

/** Sends spans to an OpenTelemetry receiver. An unreachable receiver does no harm. */
export function openTracing({ version, role, endpoint, sampledShare }: TracingOptions): OpenTracing {
  const url = `${endpoint.replace(/\/+$/, "")}/v1/traces`;
  const exporter = new OTLPTraceExporter({ url, timeoutMillis: exportTimeoutMs });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      "service.name": "reelwright",
      "service.version": version,
      "service.instance.id": crypto.randomUUID(),
      "host.name": hostname(),
      "reelwright.role": role,
    }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(sampledShare) }),
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  const tracer = provider.getTracer("reelwright");

  return {
    span(options, run) {
      const parent = parentOf(options);
      return isLost(options, parent) ? run(noSpan) : inSpan(tracer, options, parent, run);
    },

    ended({ milliseconds, isFailed, ...options }) {
      const parent = parentOf(options);
      if (isLost(options, parent)) return;
      const now = Date.now();
      const span = tracer.startSpan(options.name, { ...startOptions(options), startTime: now - milliseconds }, parent);
      if (isFailed) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end(now);
    },

    close: () => Promise.race([provider.shutdown().catch(() => {}), Bun.sleep(closeMs)]),
  };
}

const noSpan: Span = { traceparent: "", set: () => {}, fail: () => {} };

const parentOf = ({ parent }: SpanOptions): Context =>
  parent === undefined ? context.active() : propagation.extract(context.active(), { traceparent: parent });

/** True for calls of other services outside any request or job, such as polls: each would be its own trace. */
const isLost = ({ kind }: SpanOptions, parent: Context): boolean =>
  kind === "client" && trace.getSpan(parent) === undefined;

const kinds = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
};

const startOptions = ({ kind, attributes }: SpanOptions) => ({
  kind: kind ? kinds[kind] : SpanKind.INTERNAL,
  attributes: attributes as Attributes,
});

async function inSpan<Result>(
  tracer: Tracer,
  options: SpanOptions,
  parent: Context,
  run: (span: Span) => Promise<Result>,
): Promise<Result> {
  const span = tracer.startSpan(options.name, startOptions(options), parent);
  const inside = trace.setSpan(parent, span);
  try {
    return await context.with(inside, () => run(portOf(span, inside)));
  } catch (error) {
    // without the message, which may contain SQL, paths or keys
    span.setStatus({ code: SpanStatusCode.ERROR });
    throw error;
  } finally {
    span.end();
  }
}

const portOf = (span: OpenTelemetrySpan, inside: Context): Span => ({
  get traceparent() {
    const carrier: Record<string, string> = {};
    propagation.inject(inside, carrier);
    return carrier.traceparent ?? "";
  },
  set: (attributes) => void span.setAttributes(attributes),
  fail: () => void span.setStatus({ code: SpanStatusCode.ERROR }),
});

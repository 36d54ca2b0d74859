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
  /** Sends what is left, for a second at most. Never rejects. */
  close(): Promise<void>;
};

const exportTimeoutMs = 5_000;
const closeMs = 1_000;

type TracingOptions = {
  readonly version: string;
  /** That of the process: `all`, `api` or `worker`. */
  readonly role: string;
  /** The address of the receiver. */
  readonly endpoint: string;
  /** Of the traces that begin here; those that callers begin are theirs to decide. */
  readonly sampledShare: number;
};

/** Sends spans to a receiver of OpenTelemetry. One that is away harms nothing. */
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

/** Calls of other services that no request or job makes, such as polls, would be a trace each. */
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

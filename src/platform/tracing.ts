import { AsyncLocalStorage } from "node:async_hooks";

/** Never a prompt, a key, a query value or other user data. */
type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

export type SpanOptions = {
  readonly name: string;
  readonly kind?: "server" | "client" | "producer" | "consumer";
  /** The W3C header `traceparent` of the span above; by default the span that runs now. */
  readonly parent?: string | undefined;
  readonly attributes?: SpanAttributes;
};

export type Span = {
  /** Empty without tracing. */
  readonly traceparent: string;
  set(attributes: SpanAttributes): void;
  fail(): void;
};

export type Tracing = {
  /** Runs a step as a span. An error marks the span as failed, without its message. */
  span<Result>(options: SpanOptions, run: (span: Span) => Promise<Result>): Promise<Result>;
  /** Adds a span that ends now. */
  ended(options: SpanOptions & { readonly milliseconds: number; readonly isFailed: boolean }): void;
};

const noSpan: Span = { traceparent: "", set: () => {}, fail: () => {} };

export const noTracing: Tracing = { span: (_, run) => run(noSpan), ended: () => {} };

/** Runs a database query, whose text has placeholders instead of values. */
export type TraceQuery = <Result>(text: string, run: () => Promise<Result>) => Promise<Result>;

/** The origin of the running work, for log lines and for jobs that it enqueues. */
export type Origin = {
  /** The request that ordered the work. */
  readonly requestId?: string;
  /** Its span, as the W3C header `traceparent`. */
  readonly traceparent?: string;
  /** The export that a job renders. */
  readonly exportId?: string;
};

const origins = new AsyncLocalStorage<Origin>();

/** Runs `run` and all that it awaits with this origin. */
export const runFrom = <Result>(origin: Origin, run: () => Result): Result => origins.run(origin, run);

export const currentOrigin = (): Origin => origins.getStore() ?? {};

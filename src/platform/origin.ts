import { AsyncLocalStorage } from "node:async_hooks";

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

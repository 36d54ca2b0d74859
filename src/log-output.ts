import { type Logger, pino } from "pino";
import { currentOrigin } from "./platform/origin.ts";

/** At the latest after this time, lines reach stdout; those of warnings and errors do at once. */
const flushAfterMs = 100;
/** So many lines are written by one call, because each call takes as long as a request. */
const writeBytes = 64 * 1024;
/** While nobody reads stdout, so much waits, and later lines are lost: about 10,000 requests. */
const maxWaitingBytes = 4 * 1024 * 1024;

/** Writes lines to stdout many at a time. */
export function openLog(level: string): Logger {
  const output = pino.destination({ minLength: writeBytes / 2, maxWrite: writeBytes, maxLength: maxWaitingBytes });
  process.on("exit", () => output.flushSync());
  const flushSoon = repeatedAfter(() => output.flush(), flushAfterMs);
  return pino(
    {
      level,
      mixin: originFields,
      hooks: {
        logMethod(args, method, level) {
          method.apply(this, args);
          if (level >= pino.levels.values.warn!) output.flush();
          flushSoon();
        },
      },
    },
    output,
  );
}

/**
 * Returns a function after whose calls `work` is done twice: a flush does nothing while a write is in progress. Pino's own
 * periodic flush writes and wakes the process ten times a second even if nothing is logged.
 */
function repeatedAfter(work: () => void, milliseconds: number): () => void {
  let repeats = 0;
  let timer: Timer | undefined;
  const tick = () => {
    work();
    repeats--;
    if (repeats > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
  return () => {
    repeats = 2;
    timer ??= setInterval(tick, milliseconds).unref();
  };
}

/** Of every line: the request that caused it, also in the job that it ordered, and the trace of that. */
function originFields() {
  const { traceparent, ...ids } = currentOrigin();
  const [, traceId] = traceparent?.split("-") ?? [];
  return { ...ids, ...(traceId && { traceId }) };
}

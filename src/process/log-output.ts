import { write, writeSync } from "node:fs";
import { type DestinationStream, type Logger, pino } from "pino";
import { currentOrigin } from "../platform/tracing.ts";

const stdout = 1;
/** Lines reach stdout after at most this time; warnings and errors at once. */
const flushAfterMs = 100;
const bufferCharacters = 64 * 1024;
/** The output of about 10,000 requests. */
const maxWaitingCharacters = 4 * 1024 * 1024;

/** Writes lines to stdout in batches. */
export function openLog(level: string): Logger {
  const output = lineOutput(stdout);
  process.on("exit", output.flushSync);
  return pino(
    {
      level,
      mixin: originFields,
      hooks: {
        logMethod(args, method, level) {
          method.apply(this, args);
          if (level >= pino.levels.values.warn!) output.flush();
        },
      },
    },
    output,
  );
}

type LineOutput = DestinationStream & { flush(): void; flushSync(): void };

/**
 * Collects lines and writes them with one call, in a thread of the pool: a call takes as long as a whole request, and a
 * slow reader must not stop this thread. Without a reader, lines beyond a few MB are lost. Pino's own output wakes an
 * idle process ten times a second, and at the end of the process it repeats a write to a closed pipe for ever.
 */
export function lineOutput(file: number): LineOutput {
  let collected = "";
  let unwritten = Buffer.alloc(0);
  let isWriting = false;
  /** True if a flush was requested during a write. */
  let isDue = false;
  let isScheduled = false;

  const flush = () => {
    isDue = isWriting;
    if (isWriting) return;
    if (unwritten.length === 0) takeCollected();
    if (unwritten.length === 0) return;
    isWriting = true;
    write(file, unwritten, 0, unwritten.length, null, (error, sizeBytes) => {
      isWriting = false;
      if (error) return endOfWriting(error);
      unwritten = unwritten.subarray(sizeBytes);
      if (unwritten.length > 0 || isDue) flush();
    });
  };
  const flushSoon = () => {
    if (isScheduled) return;
    isScheduled = true;
    setTimeout(() => {
      isScheduled = false;
      flush();
    }, flushAfterMs).unref();
  };
  const takeCollected = () => {
    unwritten = Buffer.from(collected);
    collected = "";
  };
  /** A full pipe is retried at the next flush; lines for a closed one are lost. */
  const endOfWriting = ({ code }: NodeJS.ErrnoException) => {
    if (code === "EAGAIN") flushSoon();
    else unwritten = Buffer.alloc(0);
  };

  return {
    write(line) {
      if (collected.length > maxWaitingCharacters) return;
      collected += line;
      if (collected.length >= bufferCharacters) flush();
      else flushSoon();
    },
    flush,
    /** Writes everything that is left, except what a thread is writing. */
    flushSync() {
      const left = Buffer.concat([isWriting ? Buffer.alloc(0) : unwritten, Buffer.from(collected)]);
      unwritten = Buffer.alloc(0);
      collected = "";
      writeWhole(file, left);
    },
  };
}

const maxAttempts = 50;
const attemptEveryMs = 10;

/** Waits briefly for a slow reader. */
function writeWhole(file: number, bytes: Buffer): void {
  let unwritten = bytes;
  for (let attempt = 0; unwritten.length > 0 && attempt < maxAttempts; ) {
    try {
      unwritten = unwritten.subarray(writeSync(file, unwritten));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") return;
      attempt++;
      Bun.sleepSync(attemptEveryMs);
    }
  }
}

/** Fields of every line: the request that caused it, also within its jobs, and its trace. */
function originFields() {
  const { traceparent, ...ids } = currentOrigin();
  const [, traceId] = traceparent?.split("-") ?? [];
  return { ...ids, ...(traceId && { traceId }) };
}

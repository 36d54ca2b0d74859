import { availableParallelism } from "node:os";
import { DomainError } from "../../errors.ts";
import { concurrencyLimit } from "../../platform/concurrency-limit.ts";
import type { TaskOptions } from "../../platform/task-options.ts";
import {
  type Answer,
  type TaskInputs,
  type TaskKind,
  type TaskMessage,
  type TaskResult,
  taskResults,
} from "./contract.ts";
import { CanvasTaskError } from "./failures.ts";
import { type CanvasProcess, startProcess, type TaskLimits } from "./process.ts";

type CanvasTaskOptions = TaskOptions & {
  /** The number of bitmaps that the task writes. The time limit grows with it. */
  readonly bitmaps?: number;
};

/**
 * The processes in which all images are decoded, all fonts opened and all bitmaps drawn. A hostile file can crash, block
 * or take over only one of them, and none of them has a secret, a network or much memory. One owner never holds all.
 */
export type CanvasProcesses = {
  /** Throws CanvasTaskError, the task's own error, the signal's reason, or busy if someone else stopped the process. */
  run<Kind extends TaskKind>(
    kind: Kind,
    input: TaskInputs[Kind],
    options: CanvasTaskOptions,
  ): Promise<TaskResult<Kind>>;
  /** Identifies what determines the pixels of texts. Asked once. */
  textEngine(): Promise<string>;
};

type PoolOptions = {
  readonly concurrency?: number;
  readonly taskMilliseconds?: number;
  /** Added to the time limit of a task for each bitmap: a PNG of 4096 × 4096 pixels takes up to a second. */
  readonly bitmapMilliseconds?: number;
};

/** Fonts stay in memory, and native code may leak. */
const maxTasksPerProcess = 1000;

const maxIdleMilliseconds = 60_000;

type PooledProcess = {
  readonly process: CanvasProcess;
  readonly tasksLeft: number;
  /** It holds Skia and fonts in memory. */
  readonly hasDrawn: boolean;
};

/** Tasks that load nothing that draws. */
const plainKinds: ReadonlySet<TaskKind> = new Set([
  "excerptVideo",
  "listKeyframes",
  "planEntries",
  "writeCandidates",
  "joinEntries",
]);

const draws = (kind: TaskKind): boolean => !plainKinds.has(kind);

const isNew = ({ tasksLeft }: PooledProcess) => tasksLeft === maxTasksPerProcess;

type Exchange = { readonly taken: PooledProcess; readonly answer: Answer };

/**
 * Starts processes when they are needed, and keeps idle ones for the next tasks: all for a minute, one for good, which
 * has drawn if any of them has.
 */
export function canvasProcesses({
  concurrency = availableParallelism() + 1,
  taskMilliseconds = 20_000,
  bitmapMilliseconds = 2_000,
}: PoolOptions = {}): CanvasProcesses {
  const limit = concurrencyLimit({ concurrency, perOwner: Math.max(1, concurrency - 1) });
  /** The one that was used last is at the end. */
  const idle: PooledProcess[] = [];

  // of those that have drawn, the one that was used last has the most fonts in memory; others are left to excerpts
  const take = async (kind: TaskKind): Promise<PooledProcess> => {
    const index = idle.findLastIndex(({ hasDrawn }) => hasDrawn === draws(kind));
    const [taken] = index < 0 ? idle.splice(-1) : idle.splice(index, 1);
    return taken ?? { process: await startProcess(), tasksLeft: maxTasksPerProcess, hasDrawn: false };
  };

  const release = ({ process, tasksLeft, hasDrawn }: PooledProcess): void => {
    const released = { process, tasksLeft: tasksLeft - 1, hasDrawn };
    if (released.tasksLeft === 0) {
      process.kill();
      return;
    }
    idle.push(released);
    setTimeout(() => endIfSurplus(released), maxIdleMilliseconds).unref();
  };

  const endIfSurplus = (released: PooledProcess): void => {
    const index = idle.indexOf(released);
    const others = idle.filter((other) => other !== released);
    if (index < 0 || !others.some(({ hasDrawn }) => hasDrawn || !released.hasDrawn)) return;
    idle.splice(index, 1);
    released.process.kill();
  };

  /** Takes another process if someone killed the first one while it was idle. */
  const exchange = async (task: TaskMessage, limits: TaskLimits): Promise<Exchange> => {
    const taken = await take(task.kind);
    if (limits.signal?.aborted) release(taken);
    limits.signal?.throwIfAborted();
    const answer = await taken.process.run(task, limits);
    if (answer) return { taken: { ...taken, hasDrawn: taken.hasDrawn || draws(task.kind) }, answer };
    if (isNew(taken)) throw new CanvasTaskError("The process of a task ended before the task.");
    return await exchange(task, limits);
  };

  const run: CanvasProcesses["run"] = (kind, input, { owner, signal, bitmaps = 0 }) =>
    limit(
      async () => {
        const milliseconds = taskMilliseconds + bitmaps * bitmapMilliseconds;
        const { taken, answer } = await exchange({ kind, input }, { milliseconds, signal });
        const result = readResult(kind, answer);
        if (result.isReusable) release(taken);
        else taken.process.kill();
        signal?.throwIfAborted();
        return result.value();
      },
      { owner, signal },
    );

  let textEngine: Promise<string> | undefined;
  return {
    run,
    textEngine: () => {
      textEngine ??= run("describeTextEngine", {}, { owner: "service" }).catch((error) => {
        textEngine = undefined;
        throw error;
      });
      return textEngine;
    },
  };
}

type ReadResult<Kind extends TaskKind> = { readonly isReusable: boolean; value(): TaskResult<Kind> };

/** A process that gave an invalid answer, or whose task failed in an unknown way, takes no other task. */
function readResult<Kind extends TaskKind>(kind: Kind, answer: Answer): ReadResult<Kind> {
  const failed = (message: string, cause?: unknown): ReadResult<Kind> => ({
    isReusable: false,
    value: () => {
      throw new CanvasTaskError(message, { cause });
    },
  });
  if (answer.outcome === "refused") {
    const { code, facts } = answer.refusal;
    const value = () => {
      throw new DomainError(code, facts);
    };
    return { isReusable: !answer.isWorn, value };
  }
  if (answer.outcome === "failed") return failed(answer.message);
  if (answer.outcome !== "done") return failed("The process of a task gave no answer.");
  const parsed = taskResults[kind].safeParse(answer.result);
  if (!parsed.success) return failed("The process of a task gave another kind of answer.", parsed.error);
  // safe because the schema is that of the same kind
  const result = parsed.data as TaskResult<Kind>;
  return { isReusable: !answer.isWorn, value: () => result };
}

let shared: CanvasProcesses | undefined;

/** The processes that all adapters of this process share. */
export const sharedCanvasProcesses = (): CanvasProcesses => {
  shared ??= canvasProcesses();
  return shared;
};

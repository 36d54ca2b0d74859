import { availableParallelism } from "node:os";
import { join } from "node:path";
import type { z } from "zod";
import { DomainError } from "../../errors.ts";
import { once, onceSuccessful } from "../../platform/async.ts";
import { mapDiskFull } from "../../platform/files.ts";
import type { TaskOptions } from "../../platform/limits/concurrency-limit.ts";
import { type CpuBudget, cpuBudget } from "../../platform/limits/cpu-budget.ts";
import {
  type AddedTask,
  type Answer,
  type TaskInputs,
  type TaskKind,
  type TaskResult,
  taskResults,
} from "./contract.ts";
import { interrupted, SandboxTaskError } from "./failures.ts";
import { processPool, type TakenProcess } from "./processes.ts";
import { emptyFolders, type PlacedTask, placeTask } from "./task-files.ts";
import type { TaskLimits } from "./task-process.ts";

type SandboxTaskOptions = TaskOptions & {
  /** The number of bitmaps that the task writes. The time limit grows with it. */
  readonly bitmaps?: number;
};

/**
 * The processes in which all images are decoded, all fonts opened and all bitmaps drawn. A hostile file can crash,
 * block or compromise only one of them. Each serves one owner and sees the files of one task at a time: see
 * docs/sandbox.md for the other protections. One owner never holds all.
 */
export type TaskPool = {
  /** Throws SandboxTaskError, the task's own error, the signal's reason, or busy if the machine had no time. */
  run<Kind extends TaskKind>(
    kind: Kind,
    input: TaskInputs[Kind],
    options: SandboxTaskOptions,
  ): Promise<TaskResult<Kind>>;
  /** Runs a task that the pool's program adds to the engine's own. */
  runAdded<Input, Result>(task: AddedTask<Input, Result>, input: Input, options: SandboxTaskOptions): Promise<Result>;
  /** Identifies what determines the pixels of texts. Computed once. */
  textEngine(): Promise<string>;
};

/** Serves the engine's own tasks. */
const ownProgram = join(import.meta.dir, "../sandboxed/program.ts");

type PoolOptions = {
  readonly concurrency?: number;
  /** Default: a budget of this pool's own. */
  readonly cpu?: Pick<CpuBudget, "sandbox">;
  readonly taskMilliseconds?: number;
  /** Added to the time limit of a task for each bitmap: a PNG of 4096 × 4096 pixels takes up to a second. */
  readonly bitmapMilliseconds?: number;
  /** Creates a private folder for a process, on the disk of the files that tasks read, so that these can be linked. */
  readonly makeFolder?: () => Promise<string>;
  /** The number of processes that wait for a new owner. */
  readonly spares?: number;
  /** The path of the processes' program, which serves the engine's tasks and others; by default the engine's own. */
  readonly program?: string;
  /** Receives the outcome of each task: `refused` means that its input cannot be used. */
  readonly onEnd?: (outcome: "done" | "refused" | "failed") => void;
};

type Task = { readonly kind: string; readonly input: Readonly<Record<string, unknown>>; readonly owner: string };

type RunResult = { readonly taken: TakenProcess; readonly answer: Answer };

export function taskPool({
  concurrency = availableParallelism() + 1,
  cpu = cpuBudget(Math.max(1, concurrency - 1)),
  taskMilliseconds = 20_000,
  bitmapMilliseconds = 2_000,
  makeFolder,
  spares = 1,
  program = ownProgram,
  onEnd = () => {},
}: PoolOptions = {}): TaskPool {
  const limit = cpu.sandbox;
  const pool = processPool({ maxProcesses: concurrency, makeFolder, spares, program });

  /** Takes another process if the first one was killed while it was idle. */
  const runOn = async (task: Task, limits: TaskLimits): Promise<RunResult> => {
    const taken = await pool.take(task.kind, task.owner);
    const { input, collect } = await place(task, taken, limits.signal);
    try {
      const answer = await taken.process.run({ kind: task.kind, input }, limits);
      if (answer?.outcome === "done") await collect();
      if (answer) return { taken, answer };
    } catch (error) {
      pool.end(taken);
      throw error;
    }
    pool.end(taken);
    if (taken.isNew) throw interrupted(new Error("The process of a task ended before the task."));
    return await runOn(task, limits);
  };

  const place = async ({ input }: Task, taken: TakenProcess, signal?: AbortSignal): Promise<PlacedTask> => {
    try {
      signal?.throwIfAborted();
      return await mapDiskFull(placeTask(input, taken.process.folders));
    } catch (error) {
      await release(taken);
      throw error;
    }
  };

  /** The next task of the owner finds nothing of this one. */
  const release = async (taken: TakenProcess): Promise<void> => {
    await emptyFolders(taken.process.folders).then(
      () => pool.release(taken),
      () => pool.end(taken),
    );
  };

  const runTask = <Result>(
    { kind, result: schema }: Pick<AddedTask<never, Result>, "kind" | "result">,
    input: Readonly<Record<string, unknown>>,
    { owner, signal, bitmaps = 0 }: SandboxTaskOptions,
  ): Promise<Result> =>
    limit(
      async () => {
        const milliseconds = taskMilliseconds + bitmaps * bitmapMilliseconds;
        const { taken, answer } = await runOn({ kind, input, owner }, { milliseconds, signal }).catch((error) => {
          if (!signal?.aborted) onEnd("failed");
          throw error;
        });
        const result = readResult(schema, answer);
        onEnd(answer.outcome === "done" || answer.outcome === "refused" ? answer.outcome : "failed");
        if (result.isReusable) await release(taken);
        else pool.end(taken);
        signal?.throwIfAborted();
        return result.value();
      },
      { owner, signal },
    );

  const run: TaskPool["run"] = (kind, input, options) =>
    // safe because the schema is that of the same kind
    runTask({ kind, result: taskResults[kind] as unknown as z.ZodType<TaskResult<typeof kind>> }, input, options);

  return {
    run,
    runAdded: (task, input, options) => runTask(task, input as Readonly<Record<string, unknown>>, options),
    textEngine: onceSuccessful(() => run("describeTextEngine", {}, { owner: "service" })),
  };
}

type ReadResult<Result> = { readonly isReusable: boolean; value(): Result };

/** A process that gave an invalid answer, or whose task failed in an unknown way, gets no other task. */
function readResult<Result>(schema: z.ZodType<Result>, answer: Answer): ReadResult<Result> {
  const failed = (message: string, cause?: unknown): ReadResult<Result> => ({
    isReusable: false,
    value: () => {
      throw new SandboxTaskError(message, { cause });
    },
  });
  if (answer.outcome === "refused") {
    const { code, facts } = answer.refusal;
    const value = () => {
      throw new DomainError(code, facts);
    };
    return { isReusable: !answer.shouldRecycle, value };
  }
  if (answer.outcome === "failed") return failed(answer.message);
  if (answer.outcome !== "done") return failed("The process of a task gave no answer.");
  const parsed = schema.safeParse(answer.result);
  if (!parsed.success) return failed("The process of a task gave an invalid answer.", parsed.error);
  return { isReusable: !answer.shouldRecycle, value: () => parsed.data };
}

/** The pool of adapters that were given no other, with its folders in the temporary directory. */
export const sharedTaskPool = once(() => taskPool());

import { homedir } from "node:os";
import { join } from "node:path";
import { interrupted, isInterrupted } from "../ffmpeg/interruption.ts";
import { findSandbox } from "../ffmpeg/sandbox.ts";
import { Answer, type TaskMessage } from "./contract.ts";
import { CanvasTaskError } from "./failures.ts";
import { linesOf } from "./lines.ts";
import { limitTime } from "./time-limit.ts";

export type TaskLimits = {
  /** Of CPU time. */
  readonly milliseconds: number;
  readonly signal?: AbortSignal | undefined;
};

/** A sandboxed process that runs one task at a time. */
export type CanvasProcess = {
  /**
   * Undefined if the process had ended before the task started: it says nothing about the task. Kills the process if the
   * task takes longer than its limit, or does not end soon after its signal aborts.
   * Throws CanvasTaskError, the signal's reason, or busy if someone else stopped the process.
   */
  run(task: TaskMessage, limits: TaskLimits): Promise<Answer | undefined>;
  kill(): void;
};

/**
 * The largest task, an AVIF of 50 megapixels, takes 1.3 GB. The limit is on address space, of which Bun reserves 5.7 GiB
 * before the first task.
 */
const limits = { fileBytes: 2 ** 30, memoryBytes: 8 * 2 ** 30, niceness: 5 };

const startMilliseconds = 20_000;

/** A task may end by itself for so long after its signal has aborted. */
const abortMilliseconds = 500;

/** Starts a process and waits until it takes tasks. Throws busy if it does not start: that says nothing about a task. */
export async function startProcess(): Promise<CanvasProcess> {
  const { wrap } = await findSandbox();
  const child = spawnProgram(wrap(process.execPath, limits));
  const kill = () => child.kill("SIGKILL");
  const answers = readAnswers(child.stdout);

  /** Reads the next answer. After a failure, the process takes no other task. */
  const read = async ({ milliseconds, signal }: TaskLimits): Promise<Answer> => {
    const endLimit = limitTime(child.pid, milliseconds, kill);
    let grace: Timer | undefined;
    const onAbort = () => {
      grace = setTimeout(kill, abortMilliseconds);
    };
    if (signal?.aborted) onAbort();
    signal?.addEventListener("abort", onAbort, { once: true });
    try {
      return await answers();
    } catch (cause) {
      kill();
      await child.exited;
      signal?.throwIfAborted();
      if (isInterrupted({ signal: `${child.signalCode}` })) throw interrupted(cause);
      throw new CanvasTaskError("The process of a task ended.", { cause });
    } finally {
      endLimit();
      clearTimeout(grace);
      signal?.removeEventListener("abort", onAbort);
    }
  };

  const send = async (task: TaskMessage): Promise<void> => {
    child.stdin.write(`${JSON.stringify(task)}\n`);
    await child.stdin.flush();
  };

  await read({ milliseconds: startMilliseconds }).catch((cause) => {
    throw interrupted(cause);
  });
  return {
    async run(task, taskLimits) {
      const sending = send(task).catch(kill);
      const started = await read({ milliseconds: startMilliseconds }).catch(() => undefined);
      await sending;
      return started && (await read(taskLimits));
    },
    kill,
  };
}

function spawnProgram(sandboxed: readonly string[]) {
  const child = Bun.spawn([...sandboxed, join(import.meta.dir, "program", "program.ts")], {
    // a folder without configuration files that Bun would read
    cwd: import.meta.dir,
    // the user's own fonts lie there
    env: { HOME: homedir() },
    stdin: "pipe",
    stdout: "pipe",
    stderr: "ignore",
  });
  // an idle process does not keep this one running
  child.unref();
  return child;
}

/** 10,000 different characters without a glyph take 70 KB. */
const maxAnswerBytes = 256 * 1024;

/** Returns a function that reads the next answer. It throws at the end of the stream and for anything but an answer. */
function readAnswers(stdout: ReadableStream<Uint8Array>): () => Promise<Answer> {
  const lines = linesOf(stdout, maxAnswerBytes);
  return async () => {
    const { value = "" } = await lines.next();
    return Answer.parse(JSON.parse(value));
  };
}

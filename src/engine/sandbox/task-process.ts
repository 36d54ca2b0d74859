import { rmSync } from "node:fs";
import { rm } from "node:fs/promises";
import { homedir } from "node:os";
import { Answer, type TaskMessage } from "./contract.ts";
import { interrupted, isInterrupted, SandboxTaskError } from "./failures.ts";
import { linesOf } from "./lines.ts";
import { findSandbox, type Started } from "./sandbox.ts";
import { makeTaskFolders, type TaskFolders } from "./task-files.ts";
import { limitTime } from "./time-limit.ts";

export type TaskLimits = {
  /** CPU time. */
  readonly milliseconds: number;
  readonly signal?: AbortSignal | undefined;
};

/** A sandboxed process that runs one task at a time. */
export type TaskProcess = {
  /** The only folders whose files it reads and writes. */
  readonly folders: TaskFolders;
  /**
   * Undefined if the process had ended before the task started: it says nothing about the task. Kills the process if
   * the task takes longer than its limit, or does not end soon after its signal aborts. Throws SandboxTaskError, the
   * signal's reason, or busy if the process was stopped from outside or the machine had no time for it.
   */
  run(task: TaskMessage, limits: TaskLimits): Promise<Answer | undefined>;
  kill(): void;
};

/** An AVIF of 50 megapixels takes 1.3 GB. The limit is on address space: Bun reserves 5.7 GiB of it. */
const limits = { fileBytes: 2 ** 30, memoryBytes: 8 * 2 ** 30, niceness: 5 };

const startMilliseconds = 20_000;

/** The time that a task has to end after its signal has aborted. */
const abortMilliseconds = 500;

/** Owns the folder `root`. Throws busy if it does not start: that says nothing about a task. */
export async function startProcess(root: string, program: string): Promise<TaskProcess> {
  const folders = await makeTaskFolders(root);
  const { startOwn } = await findSandbox();
  const job = { limits, folder: import.meta.dir, reads: [folders.reads], writes: [folders.writes] };
  const child = spawnProgram(startOwn(program, job));
  used.add(root);
  void child.exited.then(async () => {
    await rm(root, { recursive: true, force: true });
    used.delete(root);
  });
  const kill = () => child.kill("SIGKILL");
  const answers = readAnswers(child.stdout);

  /** Reads the next answer. After a failure, the process gets no other task. */
  const read = async ({ milliseconds, signal }: TaskLimits): Promise<Answer> => {
    let isStarved = false;
    const endLimit = limitTime(child.pid, milliseconds, (starved) => {
      isStarved = starved;
      kill();
    });
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
      if (isStarved || isInterrupted({ signal: `${child.signalCode}` })) throw interrupted(cause);
      throw new SandboxTaskError("The process of a task ended.", { cause });
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
    folders,
    async run(task, taskLimits) {
      const sending = send(task).catch(kill);
      const started = await read({ milliseconds: startMilliseconds }).catch(() => undefined);
      await sending;
      return started && (await read(taskLimits));
    },
    kill,
  };
}

/** The folders of processes. */
const used = new Set<string>();
process.on("exit", () => {
  for (const root of used) rmSync(root, { recursive: true, force: true });
});

function spawnProgram({ command, cwd }: Started) {
  const child = Bun.spawn([...command], {
    cwd,
    // the user's own fonts are there
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

import type { Readable } from "node:stream";
import { ExecaError, execa } from "execa";
import { interrupted, isInterrupted } from "./failures.ts";
import { findSandbox, type JobLimits } from "./sandbox.ts";

export type SandboxOptions = {
  /** Files that the program reads. */
  readonly reads: readonly string[];
  readonly limits: JobLimits;
  readonly timeoutMilliseconds: number;
  readonly signal?: AbortSignal;
  /** The program's standard input. */
  readonly input?: Readable;
};

/** The program crashed, exited with an error, or was killed by a limit or the timeout. */
export class SandboxedProcessError extends Error {
  override readonly name = "SandboxedProcessError";
}

/**
 * Runs the TypeScript program at this path in a separate process, so that a hostile file can crash only that process,
 * and parses the JSON that it prints. Throws SandboxedProcessError if it fails, and busy if it was stopped from
 * outside; failures to start it pass through.
 */
export async function runSandboxed<Result>(
  program: string,
  args: readonly string[],
  { reads, limits, timeoutMilliseconds, signal, input }: SandboxOptions,
): Promise<Result> {
  const { startOwn } = await findSandbox();
  // a folder without configuration files that Bun would read
  const { command, cwd } = startOwn(program, { limits, folder: import.meta.dir, reads, writes: [] });
  const [file, ...sandboxed] = command;
  try {
    const { stdout } = await execa(file!, [...sandboxed, ...args], {
      cwd,
      env: {},
      extendEnv: false,
      ...(input ? { input } : { stdin: "ignore" }),
      timeout: timeoutMilliseconds,
      ...(signal && { cancelSignal: signal }),
      killSignal: "SIGKILL",
    });
    return JSON.parse(stdout);
  } catch (cause) {
    signal?.throwIfAborted();
    if (!(cause instanceof ExecaError) || !hasStarted(cause)) throw cause;
    if (isInterrupted(cause)) throw interrupted(cause);
    throw new SandboxedProcessError("The program failed.", { cause });
  }
}

/** A process that never started says nothing about its input file. */
const hasStarted = ({ exitCode, isTerminated }: ExecaError) => exitCode !== undefined || isTerminated;

import { ExecaError, execa } from "execa";
import { findSandbox, type JobLimits } from "./sandbox.ts";

type SandboxOptions = {
  readonly limits: JobLimits;
  readonly timeoutMilliseconds: number;
  readonly signal?: AbortSignal;
};

/** The program ended without an answer, or was ended. */
export class SandboxedProcessError extends Error {
  override readonly name = "ApartError";
}

/**
 * Runs the program at this path in a process of its own, whose end by a hostile file is nobody else's, and reads the
 * JSON that it prints. Throws ApartError when it fails; what keeps it from starting is thrown as it is.
 */
export async function runSandboxed<Answer>(
  program: string,
  input: readonly string[],
  { limits, timeoutMilliseconds, signal }: SandboxOptions,
): Promise<Answer> {
  const { wrap } = await findSandbox();
  const [file, ...args] = wrap(process.execPath, limits);
  try {
    const { stdout } = await execa(file!, [...args, program, ...input], {
      // a folder without settings that Bun would read
      cwd: import.meta.dir,
      env: {},
      extendEnv: false,
      stdin: "ignore",
      timeout: timeoutMilliseconds,
      ...(signal && { cancelSignal: signal }),
      killSignal: "SIGKILL",
    });
    return JSON.parse(stdout);
  } catch (cause) {
    signal?.throwIfAborted();
    // one that did not even start says nothing of the file
    if (!(cause instanceof ExecaError) || (cause.exitCode === undefined && !cause.isTerminated)) throw cause;
    throw new SandboxedProcessError("The program failed.", { cause });
  }
}

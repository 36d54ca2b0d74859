import { connect } from "node:net";

type StartOptions = {
  /** The working directory. */
  readonly cwd: string;
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Stops the process: SIGTERM, and SIGKILL two seconds later. */
  readonly signal?: AbortSignal | undefined;
  /** Opens `pipe:3` for the output of the process. */
  readonly hasOutput: boolean;
};

/** The exit of a process, and the CPU time that it used. */
export type Ending = {
  readonly exitCode: number | undefined;
  readonly signal: string | undefined;
  /** True if the signal of `StartOptions` has aborted. */
  readonly wasStopped: boolean;
  readonly used: { readonly userSeconds: number; readonly systemSeconds: number };
};

type RunningProcess = {
  readonly stdout: ReadableStream<Uint8Array>;
  readonly stderr: ReadableStream<Uint8Array>;
  /** The bytes written to `pipe:3`; none without `hasOutput`. */
  readonly output: AsyncIterable<Uint8Array>;
  readonly ending: Promise<Ending>;
};

const forceKillMs = 2_000;

/** Ended at the server's exit, for machines whose sandbox does not do it. */
const running = new Set<Bun.Subprocess>();
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

/** Starts a program by Bun's own API, because Node's does not report the CPU time of a process. */
export function startProcess(
  command: readonly string[],
  { cwd, env, signal, hasOutput }: StartOptions,
): RunningProcess {
  const child = Bun.spawn([...command], {
    cwd,
    env: { ...env },
    stdio: ["ignore", "pipe", "pipe", ...(hasOutput ? (["pipe"] as const) : [])],
  });
  running.add(child);
  let forceKill: Timer | undefined;
  const stop = () => {
    child.kill("SIGTERM");
    forceKill = setTimeout(() => child.kill("SIGKILL"), forceKillMs);
  };
  if (signal?.aborted) stop();
  signal?.addEventListener("abort", stop, { once: true });
  const ending = child.exited.then(() => {
    signal?.removeEventListener("abort", stop);
    clearTimeout(forceKill);
    running.delete(child);
    return endingOf(child, signal?.aborted ?? false);
  });
  return { stdout: child.stdout, stderr: child.stderr, output: outputOf(child), ending };
}

function endingOf(child: Bun.Subprocess, wasStopped: boolean): Ending {
  const { exitCode, signalCode } = child;
  // in microseconds
  const { user = 0, system = 0 } = child.resourceUsage()?.cpuTime ?? {};
  const used = { userSeconds: Number(user) / 1e6, systemSeconds: Number(system) / 1e6 };
  return {
    exitCode: exitCode ?? undefined,
    signal: signalCode === null ? undefined : `${signalCode}`,
    wasStopped,
    used,
  };
}

/** Bun passes the other end of `pipe:3` as a file descriptor, which is a socket. */
function outputOf({ stdio }: Bun.Subprocess): AsyncIterable<Uint8Array> {
  const descriptor = stdio[3];
  // safe because Bun's connect takes a descriptor, which its type does not declare
  return typeof descriptor === "number" ? connect({ fd: descriptor } as never) : nothing;
}

const nothing: AsyncIterable<Uint8Array> = { async *[Symbol.asyncIterator]() {} };

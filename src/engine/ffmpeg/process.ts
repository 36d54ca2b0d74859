import { connect } from "node:net";

type StartOptions = {
  /** The working directory. */
  readonly cwd: string;
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Stops the process: SIGTERM, and SIGKILL two seconds later. */
  readonly signal?: AbortSignal | undefined;
  /** Opens `pipe:3` for what the process writes. */
  readonly hasOutput: boolean;
};

/** How a process ended, and the CPU time that it has used. */
export type Ending = {
  readonly exitCode: number | undefined;
  readonly signal: string | undefined;
  /** The signal of `StartOptions` has aborted. */
  readonly wasStopped: boolean;
  readonly used: { readonly userSeconds: number; readonly systemSeconds: number };
};

type RunningProcess = {
  readonly stdout: ReadableStream<Uint8Array>;
  readonly stderr: ReadableStream<Uint8Array>;
  /** What it writes to `pipe:3`; nothing without `hasOutput`. */
  readonly output: AsyncIterable<Uint8Array>;
  readonly ending: Promise<Ending>;
};

const forceKillMs = 2_000;

/** Where the sandbox does not end processes with the server, its exit does. */
const running = new Set<Bun.Subprocess>();
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

/** Starts a program. Bun's own API, because that of Node does not tell the CPU time of a process. */
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

/** Bun gives the other end of `pipe:3` as a file descriptor, which is a socket. */
function outputOf({ stdio }: Bun.Subprocess): AsyncIterable<Uint8Array> {
  const descriptor = stdio[3];
  // safe because Bun's connect takes a descriptor, which its type does not declare
  return typeof descriptor === "number" ? connect({ fd: descriptor } as never) : nothing;
}

const nothing: AsyncIterable<Uint8Array> = { async *[Symbol.asyncIterator]() {} };

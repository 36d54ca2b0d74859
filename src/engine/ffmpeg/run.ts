import { lstatSync } from "node:fs";
import { lstat, open, rm } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { isAbsolute, resolve } from "node:path";
import { type Command, type GraphOption, inputsOf, keepFrameTimes } from "../compiler/command.ts";
import type { EndedProcess } from "../ports.ts";
import { interrupted, isFfmpegInterrupted } from "../sandbox/failures.ts";
import { linesOf } from "../sandbox/lines.ts";
import type { JobLimits, Sandbox } from "../sandbox/sandbox.ts";
import { type Ending, startProcess } from "./process.ts";

export type Build = {
  readonly path: string;
  /** Files that it loads from outside the system's folders. */
  readonly libraries?: readonly string[];
  readonly sandbox: Sandbox;
  readonly graphOption: GraphOption;
  /** Receives the usage of each process. */
  readonly onEnd?: ((process: EndedProcess) => void) | undefined;
};

export type RunOptions = {
  /** The job's own folder: its working directory, which also holds its filtergraph. */
  readonly folder: string;
  readonly signal?: AbortSignal;
  readonly limits?: Partial<JobLimits>;
  /** Receives the number of frames written so far, which never decreases. */
  readonly onFrame?: (frames: number) => void;
  /** Receives the seconds of output written so far, which never decrease. */
  readonly onTime?: (seconds: number) => void;
  /** Receives the bytes that the command writes to `pipe:3`; ffmpeg blocks until the returned promise settles. */
  readonly onOutput?: (bytes: Uint8Array) => void | Promise<void>;
};

/** ffmpeg failed. `stderrTail` is for the log only, because it may contain paths. */
export class FfmpegError extends Error {
  override readonly name = "FfmpegError";

  constructor(
    readonly args: readonly string[],
    readonly stderrTail: string,
    options: ErrorOptions,
  ) {
    super("ffmpeg failed.", options);
  }
}

const defaultLimits = { cpuSeconds: 4 * 3600, fileBytes: 64 * 2 ** 30 };

const mebibyte = 2 ** 20;
const maxMemoryBytes = 16 * 2 ** 30;

/**
 * The address space of a command. A transition between two videos of 8K takes 2.3 GiB on two cores. More cores decode
 * more frames at once, and each input has threads that reserve much memory and use little.
 */
function memoryFor(command: Command): number {
  const cores = Math.min(availableParallelism(), 16);
  return Math.min(maxMemoryBytes, (2048 + 192 * cores + 256 * inputsOf(command).length) * mebibyte);
}

/** Returns the number of frames written. Throws FfmpegError, the signal's reason, or busy. */
export async function runFfmpeg(build: Build, command: Command, options: RunOptions) {
  const { path, libraries = [], sandbox, graphOption, onEnd } = build;
  const { folder, signal, onOutput } = options;
  signal?.throwIfAborted();
  const graphArgs = await writeGraph(command, folder, graphOption);
  const timeArgs = command.keepsFrameTimes ? keepFrameTimes[graphOption] : [];
  const args: readonly string[] = [
    ...globalArgs,
    ...command.inputArgs,
    ...graphArgs,
    ...timeArgs,
    ...command.outputArgs,
  ];
  const hasOutput = onOutput !== undefined;
  const sandboxed = sandbox.start(path, {
    limits: { ...defaultLimits, memoryBytes: memoryFor(command), ...options.limits },
    folder,
    reads: [folder, ...inputsElsewhere(command, folder)],
    writes: await createOutputs(command, folder),
    executes: libraries,
    hasOutput,
  });
  const stderrTail: string[] = [];
  try {
    const { command, cwd } = sandboxed;
    const startedAt = performance.now();
    const job = startProcess([...command, ...args], { cwd, env: mallocSettings, signal, hasOutput });
    const progress = readProgress(job.stdout, options);
    const output = onOutput && forwardOutput(job.output, onOutput);
    // the streams end and fail with the process; the error of the process is the one to report
    await Promise.allSettled([progress, collectTail(linesOf(job.stderr), stderrTail), output]);
    const ending = await job.ending;
    onEnd?.({ outcome: outcomeOf(ending), ...ending.used, milliseconds: performance.now() - startedAt });
    if (ending.exitCode !== 0) throw new ProcessFailure(ending);
    await output;
    const { frames, hasEnded } = await progress;
    if (!hasEnded) throw new Error("The process ended as if it had succeeded, but did not report an end.");
    return { frames };
  } catch (cause) {
    signal?.throwIfAborted();
    if (cause instanceof ProcessFailure && isFfmpegInterrupted(cause.ending)) throw interrupted(cause);
    throw new FfmpegError(args, stderrTail.join("\n"), { cause });
  }
}

class ProcessFailure extends Error {
  override readonly name = "ProcessFailure";

  constructor(readonly ending: Ending) {
    super("The process failed.");
  }
}

const outcomeOf = (ending: Ending): EndedProcess["outcome"] => {
  if (ending.exitCode === 0) return "ok";
  return ending.wasStopped || isFfmpegInterrupted(ending) ? "stopped" : "failed";
};

/** Throws FfmpegError if ffmpeg wrote another number of frames than expected, which it does not report as an error. */
export function requireFrames({ frames }: { readonly frames: number }, expected: number): void {
  if (frames === expected) return;
  const cause = new Error(`${frames} frames were rendered instead of ${expected}.`);
  throw new FfmpegError([], cause.message, { cause });
}

/**
 * By default, glibc returns frame-sized blocks to the kernel on every free. These settings keep them until the process
 * ends: the same peak memory, 2 to 4 % less CPU time.
 */
const mallocSettings = {
  MALLOC_MMAP_THRESHOLD_: `${32 * 2 ** 20}`,
  MALLOC_TRIM_THRESHOLD_: `${256 * 2 ** 20}`,
  MALLOC_TOP_PAD_: `${64 * 2 ** 20}`,
};

async function forwardOutput(chunks: AsyncIterable<Uint8Array>, onOutput: NonNullable<RunOptions["onOutput"]>) {
  for await (const chunk of chunks) await onOutput(chunk);
}

const globalArgs = ["-nostdin", "-hide_banner", "-v", "error", "-y", "-progress", "pipe:1"];

/** Passes the filtergraph as a file: Linux limits one argument to 128 KiB. */
async function writeGraph({ graph }: Command, folder: string, option: GraphOption): Promise<readonly string[]> {
  if (graph === "") return [];
  const name = `graph-${crypto.randomUUID()}.txt`;
  await Bun.write(`${folder}/${name}`, graph);
  return [option, name];
}

const frameField = "frame=";
/** Its value is in microseconds. */
const timeField = "out_time_us=";
/** The last line of every successful ffmpeg. */
const endLine = "progress=end\n";

/** Reads ffmpeg's `-progress` output, of which two lines in twelve are needed. */
async function readProgress(
  stdout: ReadableStream<Uint8Array>,
  { onFrame, onTime }: Pick<RunOptions, "onFrame" | "onTime">,
) {
  const decoder = new TextDecoder();
  let frames = 0;
  let microseconds = 0;
  let hasEnded = false;
  let rest = "";
  for await (const chunk of stdout) {
    const text = rest + decoder.decode(chunk, { stream: true });
    const end = text.lastIndexOf("\n") + 1;
    const lines = text.slice(0, end);
    rest = text.slice(end);
    hasEnded ||= lines.endsWith(endLine);
    const time = lastNumber(lines, timeField);
    if (time !== undefined && time > microseconds) {
      microseconds = time;
      onTime?.(time / 1e6);
    }
    const latest = lastNumber(lines, frameField);
    if (latest === undefined || latest < frames) continue;
    frames = latest;
    onFrame?.(frames);
  }
  return { frames, hasEnded };
}

/** The number in the last complete line that begins with `field`. */
function lastNumber(lines: string, field: string): number | undefined {
  const start = lines.lastIndexOf(`\n${field}`) + 1;
  if (!lines.startsWith(field, start)) return undefined;
  return Number(lines.slice(start + field.length, lines.indexOf("\n", start)));
}

const maxTailLines = 20;
const maxTailLineLength = 500;

/** Keeps only the last lines: a damaged source can cause an unlimited number of messages. */
async function collectTail(lines: AsyncIterable<string>, tail: string[]): Promise<void> {
  for await (const line of lines) {
    tail.push(line.slice(0, maxTailLineLength));
    if (tail.length > maxTailLines) tail.shift();
  }
}

/** Inputs outside the job's folder, or symbolic links in it. */
const inputsElsewhere = (command: Command, folder: string): readonly string[] =>
  inputsOf(command).filter((path) => isAbsolute(path) && (!path.startsWith(`${folder}/`) || isLink(path)));

const isLink = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;

/**
 * Creates the output files in advance, because the command may write only these: the right to create files in a folder
 * would let it change the stored files that are linked into it.
 */
const createOutputs = ({ writes }: Command, folder: string): Promise<readonly string[]> =>
  Promise.all(writes.map((path) => createFile(resolve(folder, path))));

async function createFile(path: string): Promise<string> {
  const create = () => open(path, "wx").then((file) => file.close());
  await create().catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
    const { nlink } = await lstat(path);
    if (nlink === 1) return;
    // a second name of a stored file
    await rm(path);
    await create();
  });
  return path;
}

import { resolve } from "node:path";
import { execa } from "execa";
import type { Command } from "../../compiler/compile.ts";
import { findSandbox, type JobLimits, type Sandbox } from "./sandbox.ts";

export type RunOptions = {
  /** The job's own folder: its working directory, and where its graph is written. */
  readonly folder: string;
  readonly signal?: AbortSignal;
  readonly limits?: Partial<JobLimits>;
  /** Frames written so far, never fewer than before. */
  readonly onFrame?: (frames: number) => void;
  /** What the command writes to `pipe:3`; ffmpeg waits while this works. */
  readonly onOutput?: (bytes: Uint8Array) => void | Promise<void>;
};

export type Ffmpeg = {
  readonly path: string;
  readonly version: string;
  /** Which binary runs and what holds it, in one line for people. */
  readonly description: string;
  /** Runs a command to its end and answers how many frames it wrote. */
  run(command: Command, options: RunOptions): Promise<{ readonly frames: number }>;
};

/** ffmpeg gave up. What it said stays in `stderrTail`, for the log alone: it may hold paths. */
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

/** Everything that a film, a picture or an inspection may ask for. */
export const needed = {
  filters: [
    ..."adelay afade aformat alimiter alphamerge ametadata amix anullsrc apad aresample asetpts asplit".split(" "),
    ..."atrim color colormatrix concat crop ebur128 eq fade format fps gblur geq".split(" "),
    ..."hflip hstack loop lut overlay pad pan perspective scale select setpts setsar settb".split(" "),
    ..."sidechaincompress split tonemap tpad transpose trim vflip volume vstack zscale".split(" "),
  ],
  encoders: ["aac", "libx264", "pcm_f32le", "png", "rawvideo"],
  decoders: ["aac", "h264", "hevc", "libvpx", "libvpx-vp9", "png"],
} as const;

const defaultLimits: JobLimits = { cpuSeconds: 4 * 3600, fileBytes: 64 * 2 ** 30, memoryBytes: 16 * 2 ** 30 };

/** FFMPEG_PATH's binary, or the bundled one. Throws a sentence for people when it cannot do all that is needed. */
export async function findFfmpeg(path?: string): Promise<Ffmpeg> {
  const program = path ? fullPath(path) : await bundledPath();
  const [version, sandbox] = await Promise.all([versionOf(program), findSandbox()]);
  await requireEverything(program);
  return {
    path: program,
    version,
    description: `${version} at ${program}, sandbox: ${sandbox.description}`,
    run: (command, options) => run(program, sandbox, command, options),
  };
}

/** Jobs run in folders of their own and with an empty environment, where neither would be found again. */
const fullPath = (path: string) => Bun.which(path) ?? resolve(path);

async function bundledPath(): Promise<string> {
  try {
    const { path } = await import("@ffmpeg-installer/ffmpeg");
    return path;
  } catch (cause) {
    throw new Error("No ffmpeg is bundled for this machine: set FFMPEG_PATH to one.", { cause });
  }
}

async function versionOf(program: string): Promise<string> {
  const [, version] = /^ffmpeg version (\S+)/.exec(await listing(program, "version")) ?? [];
  if (!version) throw new Error(`${program} does not answer as ffmpeg: set FFMPEG_PATH to one that does.`);
  return version;
}

async function listing(program: string, what: string): Promise<string> {
  try {
    const { stdout } = await execa(program, ["-hide_banner", `-${what}`], { stdin: "ignore", timeout: 20_000 });
    return stdout;
  } catch (cause) {
    throw new Error(`${program} cannot be run: set FFMPEG_PATH to a working ffmpeg.`, { cause });
  }
}

async function requireEverything(program: string): Promise<void> {
  const lacking = await Promise.all(
    Object.entries(needed).map(async ([what, names]) => {
      const listed = new Set((await listing(program, what)).split("\n").map((line) => line.trim().split(/\s+/)[1]));
      return names.filter((name) => !listed.has(name)).map((name) => `${what.slice(0, -1)} ${name}`);
    }),
  );
  if (lacking.flat().length === 0) return;
  throw new Error(`${program} lacks ${lacking.flat().join(", ")}: set FFMPEG_PATH to a fuller ffmpeg.`);
}

async function run(program: string, sandbox: Sandbox, command: Command, options: RunOptions) {
  const { folder, signal, onFrame, onOutput } = options;
  signal?.throwIfAborted();
  const args = [...globalArgs, ...command.inputArgs, ...(await graphArgs(command, folder)), ...command.outputArgs];
  const [file, ...wrapped] = sandbox.wrap(program, { ...defaultLimits, ...options.limits });
  const job = execa(file!, [...wrapped, ...args], {
    cwd: folder,
    env: keepingMemory,
    extendEnv: false,
    stdio: ["ignore", "pipe", "pipe", ...(onOutput ? (["pipe"] as const) : [])],
    buffer: false,
    cancelSignal: signal,
    forceKillAfterDelay: 2_000,
  });
  const stderrTail: string[] = [];
  const frames = countFrames(job.iterable({ from: "stdout" }), onFrame);
  const output = onOutput && handOn(job.iterable({ from: "fd3", binary: true }), onOutput);
  // all end with the process, and fail when it does: the error worth throwing is the process's own
  await Promise.allSettled([frames, keepLastLines(job.iterable({ from: "stderr" }), stderrTail), output]);
  try {
    await job;
    await output;
    return { frames: await frames };
  } catch (cause) {
    signal?.throwIfAborted();
    throw new FfmpegError(args, stderrTail.join("\n"), { cause });
  }
}

/**
 * For glibc, which gives memory of a picture's size back each time and takes it anew: what was used once is kept until
 * the job ends. The same peak, and 2 to 4 % less work.
 */
const keepingMemory = {
  MALLOC_MMAP_THRESHOLD_: `${32 * 2 ** 20}`,
  MALLOC_TRIM_THRESHOLD_: `${256 * 2 ** 20}`,
  MALLOC_TOP_PAD_: `${64 * 2 ** 20}`,
};

async function handOn(chunks: AsyncIterable<Uint8Array>, onOutput: NonNullable<RunOptions["onOutput"]>) {
  for await (const chunk of chunks) await onOutput(chunk);
}

const globalArgs = ["-nostdin", "-hide_banner", "-v", "error", "-y", "-progress", "pipe:1"];

/** The graph goes by file: past 128 KiB Linux refuses it as an argument. */
async function graphArgs({ graph }: Command, folder: string): Promise<readonly string[]> {
  if (graph === "") return [];
  const name = `graph-${crypto.randomUUID()}.txt`;
  await Bun.write(`${folder}/${name}`, graph);
  return ["-filter_complex_script", name];
}

async function countFrames(lines: AsyncIterable<string>, onFrame?: (frames: number) => void): Promise<number> {
  let frames = 0;
  for await (const line of lines) {
    const [key, value] = line.split("=");
    if (key !== "frame" || Number(value) < frames) continue;
    frames = Number(value);
    onFrame?.(frames);
  }
  return frames;
}

const maxTailLines = 20;

/** A damaged source may complain without end: only its last words are kept. */
async function keepLastLines(lines: AsyncIterable<string>, tail: string[]): Promise<void> {
  for await (const line of lines) {
    tail.push(line.slice(0, 500));
    if (tail.length > maxTailLines) tail.shift();
  }
}

import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { execa } from "execa";
import { once } from "../../platform/async.ts";
import { withJobFolder } from "../../platform/files.ts";
import { type Command, type GraphOption, graphOptions } from "../compiler/command.ts";
import { compileProbe, probeFrames } from "../compiler/probe.ts";
import { findSandbox } from "../sandbox/sandbox.ts";
import { requiredComponents } from "./components.ts";
import { type FfmpegHealth, ffmpegHealth } from "./health.ts";
import { type Build, FfmpegError, type RunOptions, requireFrames, runFfmpeg } from "./run.ts";

export type Ffmpeg = FfmpegHealth & {
  readonly path: string;
  readonly version: string;
  /** One line for the log: the version, the path and the sandbox. */
  readonly description: string;
  /** Why the bundled ffmpeg was preferred to the one in the PATH. */
  readonly whyBundled?: string;
  /** See `runFfmpeg`. */
  run(command: Command, options: RunOptions): Promise<{ readonly frames: number }>;
};

/** The setting that selects the packaged ffmpeg, whatever the PATH contains. */
export const bundled = "bundled";

/**
 * Finds the ffmpeg of FFMPEG_PATH. Without it, the `ffmpeg` of the PATH if it can render here and is of 5.1 or later,
 * else the bundled one, with the reason in its description. `onEnd` receives the usage of each process of `run`.
 */
export async function findFfmpeg(setting?: string, onEnd?: Build["onEnd"], searched?: string): Promise<Ffmpeg> {
  if (setting === bundled) return openFfmpeg(await bundledPath(), onEnd);
  if (setting) return openFfmpeg(absolutePath(setting), onEnd);
  const found = Bun.which("ffmpeg", searched === undefined ? {} : { PATH: searched });
  if (!found) return openFfmpeg(await bundledPath(), onEnd);
  try {
    return await openFfmpeg(found, onEnd, oldestFound);
  } catch (error) {
    const { message } = error as Error;
    const ffmpeg = await openFfmpeg(await bundledPath(), onEnd);
    const whyBundled = message.replace(/: set FFMPEG_PATH.*/, "");
    return { ...ffmpeg, whyBundled, description: `${ffmpeg.description}; ${whyBundled}` };
  }
}

/** The version of libavutil in ffmpeg 5.1. Builds of a commit or a day have no other number. */
const oldestFound = { libavutil: [57, 28], name: "5.1" } as const;

async function openFfmpeg(program: string, onEnd: Build["onEnd"], oldest?: typeof oldestFound): Promise<Ffmpeg> {
  const [versionText, sandbox, libraries] = await Promise.all([
    query(program, "version"),
    findSandbox(),
    librariesOf(program),
  ]);
  const version = versionOf(program, versionText);
  if (oldest && isOlder(versionText, oldest.libavutil)) throw new Error(`${program} is older than ${oldest.name}`);
  const graphOption = findGraphOption({ path: program, libraries, sandbox }, versionText);
  // awaited below: the error of a missing component says more than that of the graph that fails without it
  graphOption.catch(() => {});
  await requireComponents(program);
  const build: Build = { path: program, libraries, sandbox, graphOption: await graphOption, onEnd };
  return {
    path: program,
    version,
    description: `${version} at ${program}, sandbox: ${sandbox.description}`,
    run: (command, options) => runFfmpeg(build, command, options),
    ...ffmpegHealth(() => renderProbe(build)),
  };
}

/** Jobs run in their own folders with an empty environment, so neither a relative path nor PATH works there. */
const absolutePath = (path: string) => Bun.which(path) ?? resolve(path);

export async function bundledPath(): Promise<string> {
  try {
    const { path } = await import("@ffmpeg-installer/ffmpeg");
    return path;
  } catch (cause) {
    throw new Error("No ffmpeg is bundled for this machine: set FFMPEG_PATH to one.", { cause });
  }
}

function versionOf(program: string, versionText: string): string {
  const [, version] = /^ffmpeg version (\S+)/.exec(versionText) ?? [];
  if (!version) throw new Error(`${program} does not answer as ffmpeg: set FFMPEG_PATH to one that does.`);
  return version;
}

function isOlder(versionText: string, [major, minor]: readonly [number, number]): boolean {
  const [, itsMajor = 0, itsMinor = 0] = (/^libavutil +(\d+)\. *(\d+)/m.exec(versionText) ?? []).map(Number);
  return itsMajor < major || (itsMajor === major && itsMinor < minor);
}

/** The output of an informational option: `version`, `filters`, `encoders` or `decoders`. */
async function query(program: string, option: string): Promise<string> {
  try {
    const { stdout } = await execa(program, ["-hide_banner", `-${option}`], { stdin: "ignore", timeout: 20_000 });
    return stdout;
  } catch (cause) {
    throw new Error(`${program} cannot be run: set FFMPEG_PATH to a working ffmpeg.`, { cause });
  }
}

/** The shared libraries that a program loads, from the dynamic linker. Empty for a script or a static program. */
async function librariesOf(program: string): Promise<readonly string[]> {
  const env = { LD_TRACE_LOADED_OBJECTS: "1" };
  const { stdout } = await execa(program, { env, reject: false, stdin: "ignore", stderr: "ignore", timeout: 20_000 });
  const paths = [...`${stdout}`.matchAll(/=> (\/\S+)/g)].map(([, path]) => path!);
  return paths.filter((path) => !path.startsWith("/usr/") && !path.startsWith("/lib"));
}

async function requireComponents(program: string): Promise<void> {
  const missing = await Promise.all(
    Object.entries(requiredComponents).map(async ([kind, names]) => {
      const listed = new Set((await query(program, kind)).split("\n").map((line) => line.trim().split(/\s+/)[1]));
      return names.filter((name) => !listed.has(name)).map((name) => `${kind.slice(0, -1)} ${name}`);
    }),
  );
  if (missing.flat().length === 0) return;
  throw new Error(`${program} lacks ${missing.flat().join(", ")}: set FFMPEG_PATH to a fuller ffmpeg.`);
}

const timeoutMilliseconds = 20_000;

/** The options in the order to try them. Libraries have version numbers even in builds named by a date or a commit. */
const likelyFirst = (versionText: string): readonly GraphOption[] => {
  const [, libavutil = "0"] = /^libavutil +(\d+)/m.exec(versionText) ?? [];
  return Number(libavutil) >= 59 ? graphOptions : graphOptions.toReversed();
};

/** Renders a tiny video with each option until one succeeds. Throws a one-line message if none does. */
export async function findGraphOption(program: Omit<Build, "graphOption">, versionText: string): Promise<GraphOption> {
  const failures: unknown[] = [];
  for (const graphOption of likelyFirst(versionText)) {
    const failure = await renderProbe({ ...program, graphOption }).catch((error: unknown) => ({ error }));
    if (!failure) return graphOption;
    failures.push(failure.error);
  }
  throw unusable(program.path, failures);
}

/** Renders a tiny video. */
export async function renderProbe(build: Build): Promise<void> {
  const make = () => mkdtemp(join(tmpdir(), "reelwright-ffmpeg-"));
  await withJobFolder(make, async (folder) => {
    const options = { folder, signal: AbortSignal.timeout(timeoutMilliseconds), limits: { niceness: 0 } };
    requireFrames(await runFfmpeg(build, compileProbe(`${folder}/probe.mp4`), options), probeFrames);
  });
}

function unusable(path: string, failures: readonly unknown[]): Error {
  const reasons = new Set(failures.map(reasonOf));
  const sentence = `${path} cannot render a video (${[...reasons].join("; ")}): set FFMPEG_PATH to a working ffmpeg.`;
  return new Error(sentence, { cause: failures.at(-1) });
}

const maxReasonLength = 200;

/** The last line that ffmpeg printed. */
function reasonOf(failure: unknown): string {
  if (failure instanceof FfmpegError)
    return failure.stderrTail.split("\n").at(-1)?.slice(0, maxReasonLength) || "failed";
  return failure instanceof Error ? failure.message : "failed";
}

/**
 * Finds the ffmpeg that decodes segments of exports, when first called: the bundled one if it works on this machine,
 * else the chosen one. Both output the same pixels, but the bundled one is linked statically and starts in 4 ms; a
 * distribution's loads 200 libraries in 65 ms. It is old, so it gets only files that the service has encoded.
 */
export const segmentDecoder = (chosen: Ffmpeg, findBundled = () => findFfmpeg(bundled)) =>
  once(() => findBundled().catch(() => chosen));

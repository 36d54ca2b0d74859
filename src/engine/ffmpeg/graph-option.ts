import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { withJobFolder } from "../../platform/job-folder.ts";
import { type GraphOption, graphOptions } from "../compiler/command.ts";
import { compileProbe, probeFrames } from "../compiler/probe.ts";
import { type Build, FfmpegError, requireFrames, runFfmpeg } from "./run.ts";

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

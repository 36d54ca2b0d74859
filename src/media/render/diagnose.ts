import { diskFullError, isDiskFullMessage } from "../../platform/disk-full.ts";
import { type Ffmpeg, FfmpegError } from "../ffmpeg/ffmpeg.ts";
import { decodesWhole } from "../inspect/sample.ts";
import type { Film } from "./render.ts";
import { playedSources, sourceUnreadable } from "./sources.ts";

type Played = Pick<Film, "timeline" | "files">;

/** A source is blamed only when ffmpeg stumbles over it alone too; any other failure is ours. */
export async function blameSource(error: unknown, ffmpeg: Ffmpeg, { timeline, files }: Played): Promise<unknown> {
  if (!(error instanceof FfmpegError)) return error;
  if (isDiskFullMessage(error.stderrTail)) return diskFullError(error);
  for (const source of playedSources(timeline)) {
    if (source.facts.kind === "image") continue;
    if (!(await decodesWhole(ffmpeg, files.pathOf(source), source.facts))) return sourceUnreadable(source, error);
  }
  return error;
}

import { type Ffmpeg, FfmpegError } from "./ffmpeg.ts";
import { requireDecodable } from "./inspect-sample.ts";
import type { Job } from "./render-film.ts";
import { playedSources, sourceUnreadable } from "./render-sources.ts";

type Film = Pick<Job, "timeline" | "files">;

/** A source is blamed only when ffmpeg cannot decode it alone either; any other failure is ours. */
export async function blameSource(error: unknown, ffmpeg: Ffmpeg, { timeline, files }: Film): Promise<unknown> {
  if (!(error instanceof FfmpegError)) return error;
  for (const source of playedSources(timeline)) {
    if (source.facts.kind === "image") continue;
    try {
      await requireDecodable(ffmpeg, files.pathOf(source), source.facts);
    } catch (cause) {
      return sourceUnreadable(source, cause);
    }
  }
  return error;
}

import { compileMux, listSegments } from "../../compiler/compile.ts";
import { framesIn } from "../../timeline/time.ts";
import { requireFrames } from "../ffmpeg/run.ts";
import type { RenderJob, Video } from "./job.ts";
import type { SegmentFile } from "./segments.ts";

/** Joins the segments and the sound of a video without encoding again. Returns the path of the finished file. */
export async function muxVideo(
  { run, signal }: RenderJob,
  { timeline, folder }: Video,
  segments: readonly SegmentFile[],
  sound: string,
): Promise<string> {
  const segmentList = `${folder}/segments.txt`;
  const output = `${folder}/film.mp4`;
  const files = segments.map(({ range, name }) => ({ path: `${folder}/${name}`, frames: framesIn(range) }));
  await Bun.write(segmentList, listSegments(files, timeline.rate));
  requireFrames(await run(compileMux({ segmentList, sound }, output), { folder, signal }), timeline.track.frames);
  return output;
}

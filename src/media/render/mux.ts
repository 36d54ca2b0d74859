import { framesIn } from "../../timeline/time.ts";
import { joinFilm } from "../mp4/join.ts";
import type { RenderJob, Video } from "./job.ts";
import type { SegmentFile } from "./segment-files.ts";

/** Joins the segments and the sound of a video without encoding again. Returns the path of the finished file. */
export async function muxVideo(
  { signal }: RenderJob,
  { timeline: { rate }, folder }: Video,
  segments: readonly SegmentFile[],
  sound: string,
): Promise<string> {
  const output = `${folder}/film.mp4`;
  const files = segments.map(({ range, name }) => ({ path: `${folder}/${name}`, frames: framesIn(range) }));
  await joinFilm({ segments: files, sound, rate, signal }, output);
  return output;
}

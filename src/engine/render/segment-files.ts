import { cutSegments } from "../timeline/segments.ts";
import type { FrameRange } from "../timeline/time.ts";
import type { Timeline } from "../timeline/timeline.ts";
import type { Video } from "./job.ts";

/** A range of frames that is encoded independently, and its file name in the folder of each video. */
export type SegmentFile = { readonly range: FrameRange; readonly number: number; readonly name: string };

export const segmentFilesOf = (timeline: Timeline): readonly SegmentFile[] =>
  cutSegments(timeline).map((range, number) => ({ range, number, name: `segment-${number}.mp4` }));

export type SegmentOutput = {
  readonly segment: SegmentFile;
  readonly video: Video;
  readonly key: string;
  readonly path: string;
};

import { type FrameRate, toSeconds } from "../timeline/time.ts";
import type { Timeline } from "../timeline/timeline.ts";
import type { Clip } from "../timeline/track.ts";
import type { Command } from "./compile.ts";
import { toPixels } from "./encoding.ts";
import { concat, inRgb, numbered, pickedFrom, type Size } from "./filters/filters.ts";
import { input, type Video } from "./graph/graph.ts";
import { printGraph } from "./graph/print.ts";
import { type DrawnOverlay, drawOverlays, overlayArgs, shownOverlays } from "./picture/layers.ts";
import { drawTrack } from "./picture/picture.ts";
import { type Files, openFile, openSource, pictureArgs, type Use, usesIn } from "./sources.ts";

/** Some frames of a film, each as its segment shows it. */
export type Pictures = {
  readonly timeline: Timeline;
  /** In order. */
  readonly frames: readonly number[];
  /** Bottom first. */
  readonly overlays: readonly DrawnOverlay[];
  readonly files: Files;
  readonly size: Size;
  /** Of each decoder. */
  readonly threads: number;
};

/** The frames one after the other, as bare pixels. */
export function compileFrames(pictures: Pictures, output: string): Command {
  const { timeline, frames, files, threads, size } = pictures;
  const { rate } = timeline;
  const { opened, usesOf } = openFor(pictures);
  const inputArgs = opened.map((use) => openSource(use.clip.source, files, pictureArgs(use, rate, threads)));
  const drawn = frames.map((frame): Video => {
    const range = { start: frame, end: frame + 1 };
    const shown = shownOverlays(pictures.overlays, range);
    const picture = drawOverlays(drawTrack(timeline, range, usesOf(frame)), shown, inputArgs.length, { range, rate });
    inputArgs.push(...shown.map((each) => overlayArgs(each, rate)));
    return inRgb(picture, size);
  });
  // as for a segment: from a single input the ffmpeg of 2018 takes how long a frame lasts
  const unused = inputArgs.length === 1 ? [input("video", 0)] : [];
  const { text, map } = printGraph(concat(drawn, rate), unused);
  const outputArgs = ["-map", map, ...toPixels(output, rate, frames.length)];
  return { inputArgs: inputArgs.flat(), graph: text, outputArgs };
}

/** Some pictures of a bare H.264 stream. */
export type StreamPictures = Pick<Pictures, "size" | "threads"> & {
  readonly path: string;
  /** Which ones, in the order of showing. */
  readonly pictures: readonly number[];
  readonly rate: FrameRate;
};

/** Finished pictures one after the other, as bare pixels. */
export function compilePictures({ path, pictures, rate, size, threads }: StreamPictures, output: string): Command {
  const reading = ["-threads", `${threads}`, "-f", "h264", "-framerate", `${rate.num}/${rate.den}`];
  const picked = inRgb(numbered(pickedFrom(input("video", 0), pictures), rate), size);
  // a second reader, as for a segment
  const { text, map } = printGraph(picked, [input("video", 0)]);
  const outputArgs = ["-map", map, ...toPixels(output, rate, pictures.length)];
  return { inputArgs: openFile(path, "h264", reading), graph: text, outputArgs };
}

/** To decode on for so long costs less than to begin again at a keyframe, which may lie seconds before its frame. */
const decodedOnSeconds = 3;

/** The inputs in order, each by the first use of it; frames of one clip that lie close together share one. */
function openFor({ timeline: { track, rate }, frames }: Pictures) {
  const opened: Use[] = [];
  const latest = new Map<Clip, Use>();
  const uses = new Map<number, readonly Use[]>();
  for (const frame of frames) {
    const wanted = usesIn(track.spans, { start: frame, end: frame + 1 }).map((use): Use => {
      const before = latest.get(use.clip);
      const openedFor = before?.openedFor ?? before?.frames.start;
      const shared = before && isNear(before, use, rate);
      const placed = shared
        ? { ...use, inputIndex: before.inputIndex, openedFor }
        : { ...use, inputIndex: opened.length };
      if (!shared) opened.push(placed);
      latest.set(use.clip, placed);
      return placed;
    });
    uses.set(frame, wanted);
  }
  // safe because every frame was given its uses above
  return { opened, usesOf: (frame: number) => uses.get(frame)! };
}

function isNear(before: Use, use: Use, rate: FrameRate): boolean {
  const { kind } = use.clip.source.facts;
  if (kind === "image") return true;
  return toSeconds(use.frames.start - before.frames.start, rate) <= decodedOnSeconds;
}

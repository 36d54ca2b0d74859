import { clipTime } from "../motion/clip-time.ts";
import type { Source } from "../timeline/source.ts";
import type { FrameRate } from "../timeline/time.ts";
import type { Timeline } from "../timeline/timeline.ts";
import type { Clip } from "../timeline/track.ts";
import type { Command } from "./command.ts";
import { toRawRgb, toRawRgba } from "./encoding.ts";
import { toRgb, toRgba } from "./filters/color.ts";
import type { Size } from "./filters/geometry.ts";
import { concat, resetTimestamps, selectFrames } from "./filters/time.ts";
import { input, type Video } from "./graph/graph.ts";
import { printGraph, printRate } from "./graph/print.ts";
import { openFile, openSource, type SourcePaths } from "./sources.ts";
import { type ClipUse, clipUsesIn, pictureArgs, videoArgs } from "./video/clip-use.ts";
import { type DrawnOverlay, drawOverlays, masksIn, overlayArgs, overlaysIn } from "./video/overlays.ts";
import { canShareStream } from "./video/pace.ts";
import { drawTrack, lumasIn } from "./video/track.ts";
import { blackGround, whiteGround, withoutGround } from "./video/transparency.ts";

/** Single frames of an export, each as its segment shows it. */
export type TimelineFrames = {
  readonly timeline: Timeline;
  /** The frames in ascending order. */
  readonly frames: readonly number[];
  /** The overlays, bottom first. */
  readonly overlays: readonly DrawnOverlay[];
  readonly files: SourcePaths;
  readonly size: Size;
  /** True for frames over no ground, with alpha. */
  readonly isTransparent?: boolean | undefined;
  /** The threads of each decoder. */
  readonly threads: number;
  /** True for a source whose file holds little more than the wanted frames. Default: for none. */
  readonly isExcerpt?: (source: Source) => boolean;
};

/** Renders frames from their sources, as raw RGB, or RGBA if they are transparent. */
export const compileFrames = (request: TimelineFrames, output: string): Command => {
  const toRaw = request.isTransparent ? toRawRgba : toRawRgb;
  return compileRaw(request, output, toRaw(output, request.timeline.rate, request.frames.length));
};

/** Renders the ground of layers that are blended with it, as raw RGBA of the whole canvas. */
export const compileGround = (request: Omit<TimelineFrames, "size">, output: string): Command =>
  compileRaw(
    { ...request, size: request.timeline.canvas },
    output,
    toRawRgba(output, request.timeline.rate, request.frames.length),
  );

function compileRaw(request: TimelineFrames, output: string, target: readonly string[]): Command {
  const { timeline, frames, files, threads, size } = request;
  const { rate } = timeline;
  const { inputs, usesOf } = openClips(request);
  const inputArgs = inputs.map((use) => openSource(use.clip.source, files, videoArgs(use, rate, threads)));
  const drawn = frames.map((frame): Video => {
    const range = { start: frame, end: frame + 1 };
    const shown = overlaysIn(request.overlays, range);
    const firstLuma = inputArgs.length;
    inputArgs.push(...lumasIn(timeline, range).map((luma) => openSource(luma, files, pictureArgs)));
    const firstOverlay = inputArgs.length;
    inputArgs.push(...shown.map((overlay) => overlayArgs(overlay, { rate, threads })));
    const drawOver = ({ background }: Pick<Timeline, "background">): Video => {
      const masks = masksIn(shown, firstOverlay);
      const track = drawTrack({ ...timeline, background }, range, { uses: usesOf(frame), firstLuma, masks });
      return drawOverlays(track, shown, firstOverlay, { range, rate });
    };
    if (!request.isTransparent) return toRgb(drawOver(timeline), size);
    const video = withoutGround(drawOver({ background: blackGround }), drawOver({ background: whiteGround }));
    return toRgba(video, size);
  });
  // as in compileSegments: a single input needs a second reader
  const secondReader = inputArgs.length === 1 ? [input("video", 0)] : [];
  const { text, map } = printGraph(concat(drawn, rate), secondReader);
  const outputArgs = ["-map", map, ...target];
  return { inputArgs: inputArgs.flat(), graph: text, outputArgs, writes: [output] };
}

/** Single frames of a raw H.264 stream. */
type StreamFrames = Pick<TimelineFrames, "size" | "threads"> & {
  readonly path: string;
  /** Indices in display order, counted from 0. */
  readonly frames: readonly number[];
  readonly rate: FrameRate;
};

/** Decodes frames of an encoded segment, as raw RGB. */
export function compileStreamFrames({ path, frames, rate, size, threads }: StreamFrames, output: string): Command {
  const options = ["-threads", `${threads}`, "-f", "h264", "-framerate", printRate(rate)];
  const selected = toRgb(resetTimestamps(selectFrames(input("video", 0), frames), rate), size);
  // as in compileSegments: a single input needs a second reader
  const { text, map } = printGraph(selected, [input("video", 0)]);
  const outputArgs = ["-map", map, ...toRawRgb(output, rate, frames.length)];
  return { inputArgs: openFile(path, "h264", options), graph: text, outputArgs, writes: [output] };
}

/** Decoding this much further costs less than a new seek, because a keyframe may lie seconds before its frame. */
const maxSharedSeconds = 3;

/** One input per clip for frames that lie close together, opened at the first of them. */
function openClips({ timeline: { track, rate }, frames, isExcerpt = () => false }: TimelineFrames) {
  const inputs: ClipUse[] = [];
  const latest = new Map<Clip, ClipUse>();
  const uses = new Map<number, readonly ClipUse[]>();
  for (const frame of frames) {
    const usesOfFrame = clipUsesIn(track.spans, { start: frame, end: frame + 1 }).map((use): ClipUse => {
      const earlier = latest.get(use.clip);
      const isShared = earlier && canShareStream(use) && (isExcerpt(use.clip.source) || isNear(earlier, use, rate));
      const shared = isShared ? earlier : undefined;
      const opened = shared
        ? { ...use, inputIndex: shared.inputIndex, firstUse: shared.firstUse ?? shared }
        : { ...use, inputIndex: inputs.length };
      if (!shared) inputs.push(opened);
      latest.set(use.clip, opened);
      return opened;
    });
    uses.set(frame, usesOfFrame);
  }
  // safe because every frame got its uses above
  return { inputs, usesOf: (frame: number) => uses.get(frame)! };
}

function isNear(earlier: ClipUse, use: ClipUse, rate: FrameRate): boolean {
  if (use.clip.source.facts.kind === "image") return true;
  const secondsOf = ({ clip, frames }: ClipUse) => clipTime(clip, frames.start, rate);
  return secondsOf(use) - secondsOf(earlier) <= maxSharedSeconds;
}

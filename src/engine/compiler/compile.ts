import { usualFramesOf } from "../timeline/segments.ts";
import { type FrameRange, framesIn } from "../timeline/time.ts";
import type { Timeline } from "../timeline/timeline.ts";
import type { Command } from "./command.ts";
import { type Encoding, type NumberedFiles, pathsOf, toMp4, toNumberedMp4s, videoEncoding } from "./encoding.ts";
import { declareRec709, toDitheredBgra } from "./filters/color.ts";
import { applyMask, extractAlpha } from "./filters/mask.ts";
import { usePalette } from "./filters/palette.ts";
import { encodeOther, type OtherEncoding } from "./formats.ts";
import { input, remapInputs, type Video } from "./graph/graph.ts";
import { printGraphs } from "./graph/print.ts";
import { openFile, openSource, type SourcePaths } from "./sources.ts";
import { clipUsesIn, pictureArgs, videoArgs } from "./video/clip-use.ts";
import { type DrawnOverlay, drawOverlays, masksIn, overlayArgs, overlaysIn } from "./video/overlays.ts";
import { drawTrack, lumasIn } from "./video/track.ts";
import { blackGround, whiteGround, withoutGround } from "./video/transparency.ts";

/** The encoding of segments: H.264, or that of another format. */
export type SegmentEncoding =
  | (Encoding & { readonly codec?: undefined; readonly hasAlpha?: undefined })
  | OtherEncoding;

/** Adjacent segments that one encoder makes. Each is encoded independently. */
type EncodeTask = {
  readonly timeline: Timeline;
  /** Several only if the encoding has `separateGops`; then all have the usual frames, or the last one fewer. */
  readonly segments: readonly FrameRange[];
  /** The overlays, bottom first. */
  readonly overlays: readonly DrawnOverlay[];
  readonly files: SourcePaths;
  readonly encoding: SegmentEncoding;
  /** Decodes sources from their start. */
  readonly isUnseekable?: boolean;
};

/** True if one encoder can continue with a segment: it begins a GOP only after a whole one of `usualFrames`. */
export const fitsInTask = (segments: readonly FrameRange[], next: FrameRange, usualFrames: number): boolean =>
  segments.every((segment) => framesIn(segment) === usualFrames) &&
  segments.at(-1)?.end === next.start &&
  framesIn(next) <= usualFrames;

export type Segment = Omit<EncodeTask, "segments"> & { readonly range: FrameRange };

/** Encodes a segment without sound, as MP4 or in the container of its encoding. */
export function compileSegment({ range, ...segment }: Segment, output: string): Command {
  const task = { ...segment, segments: [range] };
  const target = segment.encoding.codec ? [] : toMp4(output, segment.timeline.rate);
  return compileOutputs([{ task, target, writes: [output] }]);
}

type TaskOutput = { readonly task: EncodeTask; readonly output: NumberedFiles };

/**
 * Encodes the same segments of several versions of one edit. Their common inputs are decoded once.
 * `isStrict` fails at the first decoding error: what replaces a damaged frame depends on where decoding began.
 */
export function compileTasks(outputs: readonly TaskOutput[], { isStrict = false } = {}): Command {
  const command = compileOutputs(
    outputs.map(({ task, output }) => {
      const target = task.encoding.codec ? [] : toNumberedMp4s(output, task.segments.map(framesIn), task.timeline.rate);
      return { task, target, writes: pathsOf(output, task.segments.length) };
    }),
  );
  return isStrict ? { ...command, inputArgs: ["-xerror", ...command.inputArgs] } : command;
}

type Output = { readonly task: EncodeTask; readonly target: readonly string[]; readonly writes: readonly string[] };

function compileOutputs(outputs: readonly Output[]): Command {
  const drawn = outputs.map(({ task }) => drawTask(task));
  const { inputs, indices } = shareInputs(drawn.map((each) => each.inputs));
  const videos = drawn.map(({ video }, index) => remapInputs(video, indices[index]!));
  // with one input and one reader, the ffmpeg of 2018 keeps the input's frame duration and repeats slow frames
  const secondReader = inputs.length === 1 ? [input("video", 0)] : [];
  const { text, maps } = printGraphs(videos, secondReader);
  const outputArgs = outputs.flatMap(({ task, target, writes }, index) => [
    "-map",
    maps[index]!,
    ...encoderArgs(task, writes[0]!),
    ...target,
  ]);
  return { inputArgs: inputs.flat(), graph: text, outputArgs, writes: outputs.flatMap(({ writes }) => writes) };
}

function encoderArgs(
  { timeline: { rate, canvas }, segments, encoding }: EncodeTask,
  output: string,
): readonly string[] {
  if (encoding.codec) return encodeOther(encoding, { range: rangeOf(segments), rate, canvas }, output);
  // not the length of short segments: the encoder looks ahead by no more frames than a GOP has
  const gopFrames = Math.max(usualFramesOf(rate), ...segments.map(framesIn));
  return videoEncoding(encoding, rate, { frames: framesIn(rangeOf(segments)), gopFrames });
}

/** The range from the first to the last of adjacent segments. */
export const rangeOf = (segments: readonly FrameRange[]): FrameRange => ({
  start: segments[0]!.start,
  end: segments.at(-1)!.end,
});

function drawTask({ timeline, segments, overlays, files, encoding, isUnseekable }: EncodeTask) {
  const { track, rate } = timeline;
  const range = rangeOf(segments);
  const uses = clipUsesIn(track.spans, range).map((use) => (isUnseekable ? { ...use, isUnseekable } : use));
  const shown = overlaysIn(overlays, range);
  const pictures = [
    ...uses.map((use) => openSource(use.clip.source, files, videoArgs(use, rate, encoding.threads))),
    ...lumasIn(timeline, range).map((luma) => openSource(luma, files, pictureArgs)),
  ];
  const inputs = [...pictures, ...shown.map((overlay) => overlayArgs(overlay, { rate, threads: encoding.threads }))];
  const drawOver = ({ background }: Pick<Timeline, "background">): Video => {
    const masks = masksIn(shown, pictures.length);
    const drawn = drawTrack({ ...timeline, background }, range, { uses, firstLuma: uses.length, masks });
    return declareRec709(drawOverlays(drawn, shown, pictures.length, { range, rate }));
  };
  const video = encoding.hasAlpha
    ? withoutGround(drawOver({ background: blackGround }), drawOver({ background: whiteGround }))
    : drawOver(timeline);
  if (encoding.codec !== "gif") return { inputs, video };
  const palette = openFile(encoding.palette, "png_pipe", pictureArgs);
  return { inputs: [...inputs, palette], video: inPalette(video, encoding, timeline, input("video", inputs.length)) };
}

/** Converts frames to the colors of a palette. */
function inPalette(video: Video, { hasAlpha }: OtherEncoding, { canvas }: Timeline, palette: Video): Video {
  const colored = toDitheredBgra(video, canvas);
  return usePalette(hasAlpha ? applyMask(colored, extractAlpha(video)) : colored, palette);
}

type Inputs = readonly (readonly string[])[];

/** Merges equal inputs of several videos. `indices` has the new index of each video's inputs. */
function shareInputs(videos: readonly Inputs[]): { readonly inputs: Inputs; readonly indices: readonly number[][] } {
  const inputs: (readonly string[])[] = [];
  const indices = videos.map((own) => {
    const earlier = inputs.map((args) => args.join("\0"));
    // equal inputs of one video are not merged
    const taken = new Set<number>();
    return own.map((args) => {
      const same = earlier.findIndex((known, index) => known === args.join("\0") && !taken.has(index));
      const index = same >= 0 ? same : inputs.push(args) - 1;
      taken.add(index);
      return index;
    });
  });
  return { inputs, indices };
}

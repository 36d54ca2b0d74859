import { usualFramesOf } from "../timeline/segments.ts";
import { type FrameRange, framesIn } from "../timeline/time.ts";
import type { Timeline } from "../timeline/timeline.ts";
import type { Command } from "./command.ts";
import { type Encoding, type NumberedFiles, pathsOf, toMp4, toNumberedMp4s, videoEncoding } from "./encoding.ts";
import { declareRec709 } from "./filters/color.ts";
import { input, remapInputs } from "./graph/graph.ts";
import { printGraphs } from "./graph/print.ts";
import { openSource, type SourcePaths } from "./sources.ts";
import { clipUsesIn, pictureArgs, videoArgs } from "./video/clip-use.ts";
import { type DrawnOverlay, drawOverlays, overlayArgs, overlaysIn } from "./video/overlays.ts";
import { drawTrack, lumasIn } from "./video/track.ts";

/** Adjacent segments that one encoder makes. Each is encoded independently. */
type EncodeTask = {
  readonly timeline: Timeline;
  /** Several only if the encoding has `separateGops`; then all have the usual frames, or the last one fewer. */
  readonly segments: readonly FrameRange[];
  /** The overlays, bottom first. */
  readonly overlays: readonly DrawnOverlay[];
  readonly files: SourcePaths;
  readonly encoding: Encoding;
  /** Decodes sources from their start. */
  readonly isUnseekable?: boolean;
};

/** True if one encoder can continue with a segment: it begins a GOP only after a whole one of `usualFrames`. */
export const fitsInTask = (segments: readonly FrameRange[], next: FrameRange, usualFrames: number): boolean =>
  segments.every((segment) => framesIn(segment) === usualFrames) &&
  segments.at(-1)?.end === next.start &&
  framesIn(next) <= usualFrames;

export type Segment = Omit<EncodeTask, "segments"> & { readonly range: FrameRange };

/** Encodes a segment as MP4 without sound. */
export function compileSegment({ range, ...segment }: Segment, output: string): Command {
  const task = { ...segment, segments: [range] };
  return compileOutputs([{ task, target: toMp4(output, segment.timeline.rate), writes: [output] }]);
}

type TaskOutput = { readonly task: EncodeTask; readonly output: NumberedFiles };

/**
 * Encodes the same segments of several versions of one edit. Their common inputs are decoded once.
 * `isStrict` fails at the first decoding error: what replaces a damaged frame depends on where decoding began.
 */
export function compileTasks(outputs: readonly TaskOutput[], { isStrict = false } = {}): Command {
  const command = compileOutputs(
    outputs.map(({ task, output }) => {
      const target = toNumberedMp4s(output, task.segments.map(framesIn), task.timeline.rate);
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
  const outputArgs = outputs.flatMap(({ task, target }, index) => [
    "-map",
    maps[index]!,
    ...encoderArgs(task),
    ...target,
  ]);
  return { inputArgs: inputs.flat(), graph: text, outputArgs, writes: outputs.flatMap(({ writes }) => writes) };
}

function encoderArgs({ timeline: { rate }, segments, encoding }: EncodeTask): readonly string[] {
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
  const inputs = [...pictures, ...shown.map((overlay) => overlayArgs(overlay, rate))];
  const drawn = drawTrack(timeline, range, { uses, firstLuma: uses.length });
  const video = drawOverlays(drawn, shown, pictures.length, { range, rate });
  return { inputs, video: declareRec709(video) };
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

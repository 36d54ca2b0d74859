import { type FrameRange, framesIn } from "../timeline/time.ts";
import type { Timeline } from "../timeline/timeline.ts";
import type { Command } from "./command.ts";
import { type Encoding, toMp4, videoEncoding } from "./encoding.ts";
import { declareRec709 } from "./filters/color.ts";
import { input, remapInputs } from "./graph/graph.ts";
import { printGraphs } from "./graph/print.ts";
import { openSource, type SourcePaths } from "./sources.ts";
import { clipUsesIn, videoArgs } from "./video/clip-use.ts";
import { type DrawnOverlay, drawOverlays, overlayArgs, overlaysIn } from "./video/overlays.ts";
import { drawTrack } from "./video/track.ts";

/** A range of the export that encodes alone. */
export type Segment = {
  readonly timeline: Timeline;
  readonly range: FrameRange;
  /** Bottom first. */
  readonly overlays: readonly DrawnOverlay[];
  readonly files: SourcePaths;
  readonly encoding: Encoding;
};

type SegmentOutput = { readonly segment: Segment; readonly output: string };

/** Encodes a segment as MP4 without sound. */
export const compileSegment = (segment: Segment, output: string): Command => compileSegments([{ segment, output }]);

/** Encodes the same range of several versions of one edit. Inputs that they have in common are decoded once. */
export function compileSegments(outputs: readonly SegmentOutput[]): Command {
  const drawn = outputs.map(({ segment }) => drawSegment(segment));
  const { inputs, indices } = shareInputs(drawn.map((each) => each.inputs));
  const videos = drawn.map(({ video }, index) => remapInputs(video, indices[index]!));
  // with one input and one reader, the ffmpeg of 2018 keeps the input's frame duration and repeats slow frames
  const secondReader = inputs.length === 1 ? [input("video", 0)] : [];
  const { text, maps } = printGraphs(videos, secondReader);
  const outputArgs = outputs.flatMap(({ segment: { encoding, timeline, range }, output }, index) => {
    return ["-map", maps[index]!, ...videoEncoding(encoding, timeline.rate, framesIn(range)), ...toMp4(output)];
  });
  return { inputArgs: inputs.flat(), graph: text, outputArgs };
}

function drawSegment({ timeline, range, overlays, files, encoding }: Segment) {
  const { track, rate } = timeline;
  const uses = clipUsesIn(track.spans, range);
  const shown = overlaysIn(overlays, range);
  const inputs = [
    ...uses.map((use) => openSource(use.clip.source, files, videoArgs(use, rate, encoding.threads))),
    ...shown.map((overlay) => overlayArgs(overlay, rate)),
  ];
  const video = drawOverlays(drawTrack(timeline, range, uses), shown, uses.length, { range, rate });
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

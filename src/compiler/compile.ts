import { type FrameRange, type FrameRate, framesIn, toSeconds } from "../timeline/time.ts";
import type { Timeline } from "../timeline/timeline.ts";
import { type Encoding, pictureEncoding, soundEncoding, toMp4, toWav } from "./encoding.ts";
import { type Audio, input, readingFrom, type Stream } from "./graph.ts";
import { type DrawnOverlay, drawOverlays, overlayArgs, shownOverlays } from "./layers.ts";
import { drawTrack } from "./picture.ts";
import { printFileList, printGraph, printGraphs } from "./print.ts";
import { drawGroup, drawMix, drawMusic, groupPieces, musicArgs, pieceArgs, wavArgs } from "./sound.ts";
import { type Files, openFile, openSource, pictureArgs, usesIn } from "./sources.ts";

export type { Encoding } from "./encoding.ts";
export type { Files } from "./sources.ts";

/** All that ffmpeg must be told: `ffmpeg ...inputArgs -filter_complex_script <file holding graph> ...outputArgs`. */
export type Command = {
  readonly inputArgs: readonly string[];
  /** By file, because Linux refuses an argument past 128 KiB. Empty when the command has no filtergraph. */
  readonly graph: string;
  readonly outputArgs: readonly string[];
};

export type Segment = {
  readonly timeline: Timeline;
  readonly range: FrameRange;
  /** Bottom first. */
  readonly overlays: readonly DrawnOverlay[];
  readonly files: Files;
  readonly encoding: Encoding;
};

type Part = { readonly command: Command; readonly output: string };

export type SoundPlan = {
  readonly groups: readonly Part[];
  /** The film's sound, or what it is mastered from when it is to be normalized. */
  readonly mix: Part;
  readonly output: string;
};

/** A part of the film's picture as MP4 without sound. */
export const compileSegment = (segment: Segment, output: string): Command => compileSegments([{ segment, output }]);

/** The same part of several films of one edit: what they read alike is read and decoded once. */
export function compileSegments(parts: readonly { readonly segment: Segment; readonly output: string }[]): Command {
  const drawn = parts.map(({ segment }) => drawSegment(segment));
  const { inputs, indices } = shareInputs(drawn.map((each) => each.inputs));
  const pictures = drawn.map(({ picture }, index) => readingFrom(picture, indices[index]!));
  // from a single input the ffmpeg of 2018 takes how long a frame lasts, and repeats frames of slow sources: two readers
  const unused = inputs.length === 1 ? [input("video", 0)] : [];
  const { text, maps } = printGraphs(pictures, unused);
  const outputArgs = parts.flatMap(({ segment: { encoding, timeline, range }, output }, index) => {
    return ["-map", maps[index]!, ...pictureEncoding(encoding, timeline.rate, framesIn(range)), ...toMp4(output)];
  });
  return { inputArgs: inputs.flat(), graph: text, outputArgs };
}

function drawSegment({ timeline, range, overlays, files, encoding }: Segment) {
  const { track, rate } = timeline;
  const uses = usesIn(track.spans, range);
  const shown = shownOverlays(overlays, range);
  const inputs = [
    ...uses.map((use) => openSource(use.clip.source, files, pictureArgs(use, rate, encoding.threads))),
    ...shown.map((each) => overlayArgs(each, rate)),
  ];
  return { inputs, picture: drawOverlays(drawTrack(timeline, range, uses), shown, uses.length, { range, rate }) };
}

type Inputs = readonly (readonly string[])[];

/** Inputs of several pictures, those that are opened alike only once, and where each picture finds its own. */
function shareInputs(pictures: readonly Inputs[]): { readonly inputs: Inputs; readonly indices: readonly number[][] } {
  const inputs: (readonly string[])[] = [];
  const indices = pictures.map((own) => {
    const earlier = inputs.map((args) => args.join("\0"));
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

/** The film's sound, exactly as long as its picture. The groups come first, in any order; then the mix. */
export function compileSound({ timeline, files }: Pick<Segment, "timeline" | "files">, folder: string): SoundPlan {
  const { rate, sound, track } = timeline;
  const groups = groupPieces(sound.pieces);
  const parts = groups.map((group, index) => {
    const inputArgs = group.pieces.flatMap((piece) => pieceArgs(piece, files, rate));
    return toWavPart(`${folder}/sound-${index}.wav`, inputArgs, drawGroup(group, rate));
  });
  const music = sound.music && [
    toWavPart(`${folder}/music.wav`, musicArgs(sound.music, files, toSeconds(track.frames, rate)), drawMusic()),
  ];
  const inputArgs = [
    ...parts.flatMap(({ output }) => wavArgs(output)),
    ...(music ?? []).flatMap(({ output }) => wavArgs(output, { loop: sound.music?.loop })),
  ];
  const output = `${folder}/sound.mp4`;
  const sum = drawMix(timeline, groups);
  const mix = sound.isNormalized
    ? toWavPart(`${folder}/mix.wav`, inputArgs, sum)
    : { command: command(inputArgs, sum, [...soundEncoding, ...toMp4(output)]), output };
  return { groups: [...parts, ...(music ?? [])], mix, output };
}

const toWavPart = (output: string, inputArgs: readonly string[], sound: Audio): Part => ({
  command: command(inputArgs, sound, toWav(output)),
  output,
});

/** Joins finished segments and the sound without encoding again. `segmentList` is a file with `listSegments`' text. */
export function compileMux(parts: { readonly segmentList: string; readonly sound: string }, output: string): Command {
  return {
    inputArgs: [
      ...openFile(parts.segmentList, "concat,mov", ["-f", "concat", "-safe", "0"]),
      ...openFile(parts.sound, "mov"),
    ],
    graph: "",
    outputArgs: ["-map", "0:v:0", "-map", "1:a:0", "-c", "copy", ...toMp4(output)],
  };
}

/** The text that tells the muxer which segments to join. */
export const listSegments = (
  segments: readonly { readonly path: string; readonly frames: number }[],
  rate: FrameRate,
) => printFileList(segments.map(({ path, frames }) => ({ path, seconds: toSeconds(frames, rate) })));

function command(inputArgs: readonly string[], result: Stream, outputArgs: readonly string[]): Command {
  const { text, map } = printGraph(result);
  return { inputArgs, graph: text, outputArgs: ["-map", map, ...outputArgs] };
}

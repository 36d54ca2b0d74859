import { type FrameRange, type FrameRate, framesIn, toSeconds } from "../timeline/time.ts";
import type { Timeline } from "../timeline/timeline.ts";
import { type Encoding, pictureEncoding, soundEncoding, toMp4, toWav } from "./encoding.ts";
import { type Audio, input, type Stream } from "./graph.ts";
import { type DrawnOverlay, drawOverlays, overlayArgs, shownOverlays } from "./layers.ts";
import { drawTrack } from "./picture.ts";
import { printFileList, printGraph } from "./print.ts";
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

export type SoundPlan = { readonly groups: readonly Part[]; readonly mix: Part };

/** A part of the film's picture as MP4 without sound. */
export function compileSegment({ timeline, range, overlays, files, encoding }: Segment, output: string): Command {
  const { track, rate } = timeline;
  const uses = usesIn(track.spans, range);
  const shown = shownOverlays(overlays, range);
  const picture = drawOverlays(drawTrack(timeline, range, uses), shown, uses.length, { range, rate });
  const inputArgs = [
    ...uses.flatMap((use) => openSource(use.clip.source, files, pictureArgs(use, rate, encoding.threads))),
    ...shown.flatMap((each) => overlayArgs(each, rate)),
  ];
  // from a single input the ffmpeg of 2018 takes how long a frame lasts, and repeats frames of slow sources: two readers
  const unused = uses.length === 1 && shown.length === 0 ? [input("video", 0)] : [];
  const outputArgs = [...pictureEncoding(encoding, rate, framesIn(range)), ...toMp4(output)];
  return command(inputArgs, picture, outputArgs, unused);
}

/** The film's sound, exactly as long as its picture. The groups come first, in any order. */
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
  const mix = command(inputArgs, drawMix(timeline, groups), [...soundEncoding, ...toMp4(output)]);
  return { groups: [...parts, ...(music ?? [])], mix: { command: mix, output } };
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

function command(
  inputArgs: readonly string[],
  result: Stream,
  outputArgs: readonly string[],
  unused: readonly Stream[] = [],
): Command {
  const { text, map } = printGraph(result, unused);
  return { inputArgs, graph: text, outputArgs: ["-map", map, ...outputArgs] };
}

import { type FrameRange, type FrameRate, framesIn, toSeconds } from "../timeline/time.ts";
import type { Timeline } from "../timeline/timeline.ts";
import { type Encoding, pictureEncoding, soundEncoding, toMp4, toWav } from "./encoding.ts";
import { type Audio, fedBy, input, readingFrom, type Stream } from "./graph/graph.ts";
import { printFileList, printGraph, printGraphs } from "./graph/print.ts";
import { type DrawnOverlay, drawOverlays, overlayArgs, shownOverlays } from "./picture/layers.ts";
import { drawTrack } from "./picture/picture.ts";
import { drawGroup, drawMix, drawMusic, groupPieces, musicArgs, pieceArgs, wavArgs } from "./sound/sound.ts";
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

/** One of the sounds that are mixed: what is opened for it, and what it is made of. */
type Voice = { readonly inputs: Inputs; readonly sound: Audio };

/** The film's sound, exactly as long as its picture. The groups come first, in any order; then the mix. */
export function compileSound({ timeline, files }: Pick<Segment, "timeline" | "files">, folder: string): SoundPlan {
  const { rate, sound, track } = timeline;
  const groups = groupPieces(sound.pieces);
  const voices = groups.map(
    (group): Voice => ({
      inputs: group.pieces.map((piece) => pieceArgs(piece, files, rate)),
      sound: drawGroup(group, rate),
    }),
  );
  const music = sound.music && {
    inputs: [musicArgs(sound.music, files, toSeconds(track.frames, rate))],
    sound: drawMusic(),
  };
  const parts: Part[] = [];
  /** A voice by itself, and the file that it goes to: no command grows with the film. */
  const apart = (voice: Voice, output: string, options?: { readonly loop: boolean }): Voice => {
    parts.push(toWavPart(output, voice));
    return { inputs: [wavArgs(output, options)], sound: input("audio", 0) };
  };
  const mixed = [
    ...(voices.length > 1 ? voices.map((voice, index) => apart(voice, `${folder}/sound-${index}.wav`)) : voices),
    ...(music ? [sound.music?.loop ? apart(music, `${folder}/music.wav`, { loop: true }) : music] : []),
  ];
  const whole = mixOf(drawMix(timeline, groups), mixed);
  const output = `${folder}/sound.mp4`;
  const mix = sound.isNormalized
    ? toWavPart(`${folder}/mix.wav`, whole)
    : { command: command(whole.inputs.flat(), whole.sound, [...soundEncoding, ...toMp4(output)]), output };
  return { groups: parts, mix, output };
}

/** `mix` with each voice in the place of its input. */
function mixOf(mix: Audio, voices: readonly Voice[]): Voice {
  const inputs: (readonly string[])[] = [];
  const sounds = voices.map((voice) => {
    const places = voice.inputs.map((own) => inputs.push(own) - 1);
    return readingFrom(voice.sound, places);
  });
  return { inputs, sound: fedBy(mix, ({ inputIndex }) => sounds[inputIndex]!) };
}

const toWavPart = (output: string, { inputs, sound }: Voice): Part => ({
  command: command(inputs.flat(), sound, toWav(output)),
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

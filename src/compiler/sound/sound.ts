import type { Music } from "../../timeline/sound.ts";
import { toSeconds } from "../../timeline/time.ts";
import type { Timeline } from "../../timeline/timeline.ts";
import type { Command } from "../command.ts";
import { soundEncoding, toMp4, toWav } from "../encoding.ts";
import { type Audio, input, remapInputs, replaceInputs } from "../graph/graph.ts";
import { printGraph } from "../graph/print.ts";
import type { SourcePaths } from "../sources.ts";
import { buildMix, buildMusic, musicArgs, wavArgs } from "./mix.ts";
import { buildGroup, groupPieces, pieceArgs, type SoundGroup } from "./pieces.ts";

/** A file with sound, and the command that renders it. */
type SoundFile = { readonly command: Command; readonly output: string };

export type SoundPlan = {
  /** Files that the mix reads. They can be rendered in any order, before the mix. */
  readonly intermediates: readonly SoundFile[];
  /** The finished sound; if the timeline is normalized, the WAV file that mastering starts from. */
  readonly mix: SoundFile;
  /** Path of the finished sound. */
  readonly output: string;
};

/** One sound of the mix: the inputs to open, and the stream that is built from them. */
type SoundSource = { readonly inputs: readonly (readonly string[])[]; readonly sound: Audio };

type MixInput = { readonly source: SoundSource; readonly intermediate?: SoundFile };

/** Compiles the sound of an export. It has exactly the duration of the video. */
export function compileSound(
  { timeline, files }: { readonly timeline: Timeline; readonly files: SourcePaths },
  folder: string,
): SoundPlan {
  const { sound } = timeline;
  const groups = groupPieces(sound.pieces);
  const groupInputs = groups.map((group, index): MixInput => {
    const source = groupSource(group, timeline, files);
    return groups.length > 1 ? renderSeparately(source, `${folder}/sound-${index}.wav`) : { source };
  });
  const musicInputs = sound.music ? [musicInput(sound.music, timeline, files, folder)] : [];
  const inputs = [...groupInputs, ...musicInputs];
  const mix = connect(
    buildMix(timeline, groups),
    inputs.map(({ source }) => source),
  );
  const output = `${folder}/sound.mp4`;
  return {
    intermediates: inputs.flatMap(({ intermediate }) => intermediate ?? []),
    mix: sound.isNormalized ? wavFile(mix, `${folder}/mix.wav`) : mp4File(mix, output),
    output,
  };
}

const groupSource = (group: SoundGroup, { rate }: Timeline, files: SourcePaths): SoundSource => ({
  inputs: group.pieces.map((piece) => pieceArgs(piece, files, rate)),
  sound: buildGroup(group, rate),
});

function musicInput(music: Music, { track, rate }: Timeline, files: SourcePaths, folder: string): MixInput {
  const source = { inputs: [musicArgs(music, files, toSeconds(track.frames, rate))], sound: buildMusic() };
  return music.loop ? renderSeparately(source, `${folder}/music.wav`, { loop: true }) : { source };
}

/** Renders a sound to its own WAV file, so that no command exceeds 24 inputs. */
const renderSeparately = (source: SoundSource, path: string, options?: { readonly loop: boolean }): MixInput => ({
  source: { inputs: [wavArgs(path, options)], sound: input("audio", 0) },
  intermediate: wavFile(source, path),
});

/** Connects each input of the mix to the source of the same index. */
function connect(mix: Audio, sources: readonly SoundSource[]): SoundSource {
  const inputs: (readonly string[])[] = [];
  const sounds = sources.map((source) => {
    const indices = source.inputs.map((args) => inputs.push(args) - 1);
    return remapInputs(source.sound, indices);
  });
  return { inputs, sound: replaceInputs(mix, ({ inputIndex }) => sounds[inputIndex]!) };
}

const wavFile = (source: SoundSource, output: string): SoundFile => ({
  command: encode(source, toWav(output)),
  output,
});

const mp4File = (source: SoundSource, output: string): SoundFile => ({
  command: encode(source, [...soundEncoding, ...toMp4(output)]),
  output,
});

function encode({ inputs, sound }: SoundSource, encoding: readonly string[]): Command {
  const { text, map } = printGraph(sound);
  return { inputArgs: inputs.flat(), graph: text, outputArgs: ["-map", map, ...encoding] };
}

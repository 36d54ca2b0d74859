import type { AddedSound, Voice } from "../../timeline/sound.ts";
import { sampleClock, toSeconds } from "../../timeline/time.ts";
import type { Timeline } from "../../timeline/timeline.ts";
import type { Command } from "../command.ts";
import { soundEncoding, toFinishedWav, toMp4, toWav } from "../encoding.ts";
import { type Audio, input, remapInputs, replaceInputs } from "../graph/graph.ts";
import { printGraph } from "../graph/print.ts";
import type { SourcePaths } from "../sources.ts";
import { addedArgs, buildAdded, buildRound } from "./added.ts";
import { envelopeArgs } from "./ducking.ts";
import { buildMix, buildMusic, hasEnvelope, isLoweredEffect, musicArgs, wavArgs } from "./mix.ts";
import { buildGroup, buildPiece, groupPieces, pieceArgs, type SoundGroup } from "./pieces.ts";
import { buildVoice, voiceArgs } from "./voices.ts";

type SoundFile = { readonly command: Command; readonly output: string };

type SoundPlan = {
  /** Files that the mix reads. They can be rendered in any order, before the mix. */
  readonly intermediates: readonly SoundFile[];
  /** The finished sound; if the timeline is normalized, the WAV file that mastering starts from. */
  readonly mix: SoundFile;
  /** Path of the finished sound. */
  readonly output: string;
};

/** One sound of the mix: the inputs to open, and the stream that is built from them. */
type SoundSource = { readonly inputs: readonly (readonly string[])[]; readonly sound: Audio };

type MixInput = { readonly source: SoundSource; readonly intermediates?: readonly SoundFile[] };

/** What was measured of the sources before they are mixed. */
export type Levels = {
  /** The factor that brings a normalized voice to its loudness. */
  gainOf(voice: Voice | AddedSound): number;
  /** The path of the music's envelope. */
  readonly envelope: string;
};

// what is measured depends on the sources and on the commands that they are mixed by
const unmeasured: Levels = { gainOf: () => 1, envelope: "envelope" };

type SoundOptions = {
  readonly timeline: Timeline;
  readonly files: SourcePaths;
  /** Default: none, for sounds without voices and to describe a sound. */
  readonly levels?: Levels;
  /** Default: AAC in MP4; PCM is a WAV file. */
  readonly codec?: SoundCodec;
};

export type SoundCodec = "aac" | "pcm";

/** Compiles the sound of an export. It has exactly the duration of the video. */
export function compileSound(options: SoundOptions, folder: string): SoundPlan {
  const { timeline } = options;
  const { pieces, voices = [], added = [], isNormalized } = timeline.sound;
  const groups = { clips: groupPieces(pieces), voices: groupPieces(voices), added: groupAdded(added) };
  const inputs = [
    ...groupInputs(
      groups.clips.map((group) => clipsSource(group, options)),
      `${folder}/sound`,
    ),
    ...groupInputs(
      groups.voices.map((group) => voicesSource(group, options)),
      `${folder}/voice`,
    ),
    ...musicInputs(options, folder),
    ...envelopeInputs(options),
    ...groups.added.map((group, index) => addedInput(group, options, `${folder}/added-${index}`)),
  ];
  const mix = connect(
    buildMix(timeline, groups),
    inputs.map(({ source }) => source),
  );
  const { codec } = options;
  const output = soundPath(folder, codec);
  return {
    intermediates: inputs.flatMap(({ intermediates = [] }) => intermediates),
    mix: isNormalized ? wavFile(mix, `${folder}/mix.wav`) : finishedFile(mix, output, codec),
    output,
  };
}

export const soundPath = (folder: string, codec: SoundCodec = "aac"): string =>
  `${folder}/sound.${codec === "aac" ? "mp4" : "wav"}`;

/** Several groups are rendered to files of their own. */
const groupInputs = (sources: readonly SoundSource[], path: string): readonly MixInput[] =>
  sources.map((source, index) => (sources.length > 1 ? renderSeparately(source, `${path}-${index}.wav`) : { source }));

const clipsSource = (group: SoundGroup, { timeline: { rate }, files }: SoundOptions): SoundSource => ({
  inputs: group.pieces.map((piece) => pieceArgs(piece, files, rate)),
  sound: buildGroup(group, rate, buildPiece),
});

const voicesSource = (
  group: SoundGroup<Voice>,
  { timeline: { rate }, files, levels = unmeasured }: SoundOptions,
): SoundSource => ({
  inputs: group.pieces.map((voice) => voiceArgs(voice, files, rate)),
  sound: buildGroup(group, rate, (voice, index) => buildVoice(voice, index, rate, levels.gainOf(voice))),
});

function musicInputs({ timeline, files }: SoundOptions, folder: string): readonly MixInput[] {
  const { track, rate, sound } = timeline;
  const { music } = sound;
  if (!music) return [];
  const source = { inputs: [musicArgs(music, files, toSeconds(track.frames, rate))], sound: buildMusic(music) };
  return [music.loop ? renderSeparately(source, `${folder}/music.wav`, { loop: true }) : { source }];
}

const envelopeInputs = ({ timeline, levels = unmeasured }: SoundOptions): readonly MixInput[] =>
  hasEnvelope(timeline.sound) ? [{ source: openedSound(envelopeArgs(levels.envelope)) }] : [];

/** Groups of one role each, and effects that voices lower apart. */
const groupAdded = (added: readonly AddedSound[]): readonly SoundGroup<AddedSound>[] =>
  [...Map.groupBy(added, (sound) => (isLoweredEffect(sound) ? "lowered" : sound.role)).values()].flatMap((sounds) =>
    groupPieces(sounds),
  );

/** A group is rendered to its own WAV file, and each repeating sound in it to one round. */
function addedInput(
  group: SoundGroup<AddedSound>,
  { files, levels = unmeasured }: SoundOptions,
  path: string,
): MixInput {
  const roundPath = (index: number) => `${path}-round-${index}.wav`;
  const rounds = group.pieces.flatMap((sound, index) =>
    sound.isRepeated
      ? [wavFile({ inputs: [addedArgs(sound, files)], sound: buildRound(sound) }, roundPath(index))]
      : [],
  );
  const mixed: SoundSource = {
    inputs: group.pieces.map((sound, index) =>
      sound.isRepeated ? wavArgs(roundPath(index), { loop: true }) : addedArgs(sound, files),
    ),
    sound: buildGroup(group, sampleClock, (sound, index) => buildAdded(sound, index, levels.gainOf(sound))),
  };
  const { source, intermediates = [] } = renderSeparately(mixed, `${path}.wav`);
  return { source, intermediates: [...rounds, ...intermediates] };
}

/** Renders a sound to its own WAV file, so that no command exceeds 24 inputs. */
const renderSeparately = (source: SoundSource, path: string, options?: { readonly loop: boolean }): MixInput => ({
  source: openedSound(wavArgs(path, options)),
  intermediates: [wavFile(source, path)],
});

const openedSound = (args: readonly string[]): SoundSource => ({ inputs: [args], sound: input("audio", 0) });

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
  command: encode(source, toWav(output), output),
  output,
});

const finishedFile = (source: SoundSource, output: string, codec: SoundCodec = "aac"): SoundFile => ({
  command: encode(source, codec === "aac" ? [...soundEncoding, ...toMp4(output)] : toFinishedWav(output), output),
  output,
});

function encode({ inputs, sound }: SoundSource, encoding: readonly string[], output: string): Command {
  const { text, map } = printGraph(sound);
  return { inputArgs: inputs.flat(), graph: text, outputArgs: ["-map", map, ...encoding], writes: [output] };
}

import { join, resolve } from "node:path";
import { withJobFolder } from "../../platform/files.ts";
import type { TaskOptions } from "../../platform/limits/concurrency-limit.ts";
import { type CpuBudget, cpuBudget } from "../../platform/limits/cpu-budget.ts";
import { compileModelSound, compileVoice } from "../compiler/sound/speech.ts";
import type { Ffmpeg } from "../ffmpeg/ffmpeg.ts";
import { requireWorking } from "../ffmpeg/health.ts";
import { FfmpegError } from "../ffmpeg/run.ts";
import type { FileStore, SoundForModel, SoundTools } from "../ports.ts";
import { peakDecibels, type Samples, sampleRate, toSamples } from "../timeline/samples.ts";
import type { MediaFacts } from "../timeline/source.ts";

type SoundToolsPorts = { readonly ffmpeg: Ffmpeg; readonly files: Pick<FileStore, "jobFolder"> };

type SoundToolsOptions = SoundToolsPorts & {
  /** Default: a budget of its own. */
  readonly cpu?: Pick<CpuBudget, "models">;
};

const limits = { cpuSeconds: 300, fileBytes: 2 ** 28 };

export function ffmpegSoundTools({ cpu = cpuBudget(), ...ports }: SoundToolsOptions): SoundTools {
  const inFolder = <Result>(options: TaskOptions, task: (folder: string) => Promise<Result>): Promise<Result> =>
    cpu.models(() => withJobFolder(ports.files.jobFolder, task), options);
  return {
    decodeVoice: async (bytes, speed, options) => {
      const demuxer = demuxerOf(bytes);
      if (demuxer === undefined) return undefined;
      return inFolder(options, (folder) => decodeVoice(ports, { bytes, speed, demuxer, folder, ...options }));
    },
    soundForModel: (path, facts, options) =>
      inFolder(options, (folder) => soundForModel(ports, { path, facts, folder, ...options })),
  };
}

type VoiceTask = Required<TaskOptions> & {
  readonly bytes: Uint8Array;
  readonly speed: number;
  readonly demuxer: string;
  readonly folder: string;
};

async function decodeVoice(
  { ffmpeg }: SoundToolsPorts,
  { bytes, speed, demuxer, folder, signal }: VoiceTask,
): Promise<Samples | undefined> {
  const path = join(folder, "voice");
  await Bun.write(path, bytes);
  const output = collected();
  const { onOutput } = output;
  try {
    await ffmpeg.run(compileVoice(path, { demuxer, speed, sampleRate }), { folder, signal, limits, onOutput });
  } catch (error) {
    if (!(error instanceof FfmpegError)) throw error;
    await requireWorking(ffmpeg, error);
    return undefined;
  }
  return output.samples();
}

const modelSampleRate = 16_000;

type FileTask = Required<TaskOptions> & {
  readonly path: string;
  readonly facts: MediaFacts;
  readonly folder: string;
};

async function soundForModel(
  { ffmpeg }: SoundToolsPorts,
  { path, facts, folder, signal }: FileTask,
): Promise<SoundForModel | undefined> {
  const output = join(folder, "sound.flac");
  let count = 0;
  let peak = Number.NEGATIVE_INFINITY;
  const command = compileModelSound(resolve(path), facts, modelSampleRate, output);
  const onOutput = (bytes: Uint8Array) => {
    count += bytes.length / 2;
    peak = Math.max(peak, peakDecibels(toSamples(bytes)));
  };
  try {
    await ffmpeg.run(command, { folder, signal, limits, onOutput });
  } catch (error) {
    if (!(error instanceof FfmpegError)) throw error;
    await requireWorking(ffmpeg, error);
    return undefined;
  }
  return { bytes: await Bun.file(output).bytes(), durationSeconds: count / modelSampleRate, peakDecibels: peak };
}

/** Collects the output of ffmpeg. */
function collected() {
  const chunks: Uint8Array[] = [];
  return {
    // a copy, because the reader may reuse its buffer
    onOutput: (bytes: Uint8Array) => void chunks.push(bytes.slice()),
    samples: () => toSamples(new Uint8Array(Buffer.concat(chunks))),
  };
}

const magics: readonly (readonly [demuxer: string, ...bytes: readonly number[]])[] = [
  ["wav", 0x52, 0x49, 0x46, 0x46],
  ["flac", 0x66, 0x4c, 0x61, 0x43],
  ["ogg", 0x4f, 0x67, 0x67, 0x53],
  ["mp3", 0x49, 0x44, 0x33],
  ["mp3", 0xff, 0xfb],
  ["mp3", 0xff, 0xf3],
  ["aac", 0xff, 0xf1],
];

/** Detected by the first bytes: WAV was requested, but other servers with the same API may send another format. */
const demuxerOf = (bytes: Uint8Array): string | undefined =>
  magics.find(([, ...magic]) => magic.every((byte, index) => bytes[index] === byte))?.[0];

import type { z } from "zod";
import { withJobFolder } from "../../platform/files.ts";
import type { LeasePorts } from "../../platform/leases.ts";
import type { TaskOptions } from "../../platform/limits/concurrency-limit.ts";
import { type CpuBudget, cpuBudget } from "../../platform/limits/cpu-budget.ts";
import { compileSamples } from "../compiler/sound/samples.ts";
import type { SourcePaths } from "../compiler/sources.ts";
import type { Ffmpeg } from "../ffmpeg/ffmpeg.ts";
import { requireWorking } from "../ffmpeg/health.ts";
import { FfmpegError } from "../ffmpeg/run.ts";
import { type FileStore, type RenderCache, referenceTo, type SoundMeter } from "../ports.ts";
import { beatsKey, waveformKey } from "../render/cache-keys.ts";
import { singleFlight } from "../render/tasks/single-flight.ts";
import { taskResults } from "../sandbox/contract.ts";
import { sharedTaskPool, type TaskPool } from "../sandbox/task-pool.ts";
import type { Source } from "../timeline/source.ts";
import { beatSampleRate } from "./beats/onsets.ts";
import { peakMeter, storedPeaks, toStoredPeaks, waveformOf, waveformRate } from "./waveform.ts";

type SoundMeterOptions = LeasePorts & {
  readonly ffmpeg: Ffmpeg;
  readonly files: Pick<FileStore, "jobFolder" | "linkTo">;
  /** The measurements, shared by all processes. */
  readonly cache: Pick<RenderCache, "linkTo" | "put">;
  readonly canvas?: TaskPool;
  /** Default: a budget of this meter's own. */
  readonly cpu?: Pick<CpuBudget, "models">;
};

const limits = { cpuSeconds: 300, fileBytes: 2 ** 28 };

/** Beats are looked for in this first part of a sound. */
const maxBeatSeconds = 600;

const waveformFormat = { sampleRate: waveformRate, channels: 2 } as const;
const beatFormat = { sampleRate: beatSampleRate, channels: 1, seconds: maxBeatSeconds } as const;

/** The file that each measurement links. */
const linked = (folder: string): SourcePaths => ({ pathOf: () => `${folder}/source` });
const contentHashes: SourcePaths = { pathOf: ({ hash }) => hash };

type Measurement<Stored> = {
  readonly source: Source;
  readonly key: string;
  readonly schema: z.ZodType<Stored, unknown>;
  /** Returns what is stored. */
  readonly measure: (folder: string, options: Required<TaskOptions>) => Promise<unknown>;
};

export function ffmpegSoundMeter({
  ffmpeg,
  files,
  cache,
  canvas = sharedTaskPool(),
  cpu = cpuBudget(),
  leases,
}: SoundMeterOptions): SoundMeter {
  const flights = singleFlight({ leases });

  /** Reads what was measured earlier, or measures once for all callers. Undefined for a sound that does not decode. */
  const provide = <Stored>(
    { source, key, schema, measure }: Measurement<Stored>,
    { owner, signal = new AbortController().signal }: TaskOptions,
  ): Promise<Stored | undefined> =>
    withJobFolder(files.jobFolder, async (folder) => {
      const path = `${folder}/measured.json`;
      const missing = [{ key }];
      const take = async () => ((await cache.linkTo(key, path)) ? [] : missing);
      const make = async () => {
        await files.linkTo(referenceTo(source), linked(folder).pathOf(source));
        const measured = await cpu.models(() => measure(folder, { owner, signal }), { owner, signal });
        await Bun.write(path, JSON.stringify(measured));
        await cache.put([{ key, path }]);
      };
      try {
        if ((await take()).length > 0) await flights.provide(missing, { signal, take, make });
      } catch (error) {
        if (!(error instanceof FfmpegError)) throw error;
        await requireWorking(ffmpeg, error);
        return undefined;
      }
      return schema.parse(await Bun.file(path).json());
    });

  return {
    waveform: async (source, { projectId, points, ...options }) => {
      const scope = { projectId, ffmpegVersion: ffmpeg.version };
      const key = waveformKey(compileSamples(source, contentHashes, waveformFormat, "pipe:3"), scope);
      const measure = async (folder: string, { signal }: Required<TaskOptions>) => {
        const meter = peakMeter();
        const command = compileSamples(source, linked(folder), waveformFormat, "pipe:3");
        await ffmpeg.run(command, { folder, signal, limits, onOutput: meter.add });
        return toStoredPeaks(meter.result());
      };
      const peaks = await provide({ source, key, schema: storedPeaks, measure }, options);
      return peaks && waveformOf(peaks, points);
    },
    beats: async (source, { projectId, bpm, ...options }) => {
      const scope = { projectId, ffmpegVersion: ffmpeg.version };
      const key = beatsKey(compileSamples(source, contentHashes, beatFormat, "samples"), bpm, scope);
      const measure = async (folder: string, task: Required<TaskOptions>) => {
        const path = `${folder}/samples`;
        await ffmpeg.run(compileSamples(source, linked(folder), beatFormat, path), {
          folder,
          signal: task.signal,
          limits,
        });
        return await canvas.run("findBeats", { path, bpm }, task);
      };
      return await provide({ source, key, schema: taskResults.findBeats, measure }, options);
    },
  };
}

import { setTimeout } from "node:timers/promises";
import { ifMissing, withJobFolder } from "../../platform/files.ts";
import type { LeasePorts } from "../../platform/leases.ts";
import type { TaskOptions } from "../../platform/limits/concurrency-limit.ts";
import { type CpuBudget, cpuBudget } from "../../platform/limits/cpu-budget.ts";
import { compileAnalysis } from "../compiler/decode/analysis.ts";
import type { Ffmpeg } from "../ffmpeg/ffmpeg.ts";
import { requireWorking } from "../ffmpeg/health.ts";
import { FfmpegError } from "../ffmpeg/run.ts";
import { type FileStore, type FocusFinder, type RenderCache, referenceTo } from "../ports.ts";
import { focusKey } from "../render/cache-keys.ts";
import { singleFlight } from "../render/tasks/single-flight.ts";
import { SandboxTaskError } from "../sandbox/failures.ts";
import { SandboxedProcessError } from "../sandbox/one-shot-process.ts";
import { sharedTaskPool, type TaskPool } from "../sandbox/task-pool.ts";
import type { FocusTrack, SubjectBox } from "../timeline/focus.ts";
import type { Source } from "../timeline/source.ts";
import { analysisSize } from "./decode-frames.ts";
import { focusTrack, measureFocus } from "./measure/sandboxed.ts";
import { measureFrames } from "./measure-frames.ts";

type FocusFinderOptions = LeasePorts & {
  readonly ffmpeg: Ffmpeg;
  readonly files: Pick<FileStore, "jobFolder" | "linkTo">;
  /** The measurements, shared by all processes. */
  readonly cache: Pick<RenderCache, "linkTo" | "put">;
  readonly canvas?: TaskPool;
  /** Default: a budget of this finder's own. */
  readonly cpu?: Pick<CpuBudget, "models">;
  /** The time that `findSoon` waits. */
  readonly patienceMilliseconds?: number;
};

type MeasureOptions = Required<TaskOptions> & { readonly boxes: readonly SubjectBox[] | undefined };

/** Longer videos are not measured: a measurement that can time out must not decide what an export shows. */
const maxSeconds = 600;
const budgetMilliseconds = 600_000;
const imageSide = 512;

export function ffmpegFocusFinder({
  ffmpeg,
  files,
  cache,
  canvas = sharedTaskPool(),
  cpu = cpuBudget(),
  leases,
  patienceMilliseconds = 10_000,
}: FocusFinderOptions): FocusFinder {
  const flights = singleFlight({ leases });
  const measure = async (source: Source, folder: string, options: MeasureOptions): Promise<FocusTrack> => {
    const { facts } = source;
    const file = `${folder}/source`;
    const image = `${folder}/image`;
    await files.linkTo(referenceTo(source), file);
    const isImage = facts.kind === "image";
    if (isImage) await canvas.run("prepareImage", { path: file, facts, maxSide: imageSide, output: image }, options);
    const { signal, boxes = [] } = options;
    const measureAround: typeof measureFocus = (frames, each) => measureFocus(frames, { ...each, boxes });
    return await measureFrames(ffmpeg, { path: isImage ? image : file, facts }, measureAround, {
      ...{ folder, signal, budgetMilliseconds, takesPart: false },
    });
  };

  const measureOf = (source: Source, folder: string, options: MeasureOptions): Promise<FocusTrack> =>
    cpu
      .models(() => measure(source, folder, options), options)
      .catch(async (error) => {
        options.signal.throwIfAborted();
        if (!isOfSource(error)) throw error;
        await requireWorking(ffmpeg, error);
        return [];
      });

  const find: FocusFinder["find"] = (source, { projectId, owner, boxes, signal = new AbortController().signal }) =>
    withJobFolder(files.jobFolder, async (folder) => {
      const { facts, hash } = source;
      const scope = { projectId, ffmpegVersion: ffmpeg.version };
      const key = focusKey(compileAnalysis(hash, facts, analysisSize(facts)), boxes, scope);
      const path = `${folder}/focus.json`;
      const missing = [{ key }];
      const take = async () => ((await cache.linkTo(key, path)) ? [] : missing);
      const make = async () => {
        const track = await measureOf(source, folder, { owner, signal, boxes });
        // failures are stored too, so that they are not measured again
        await Bun.write(path, JSON.stringify(track));
        await cache.put([{ key, path }]);
      };
      if ((await take()).length > 0) {
        if (!((facts.durationSeconds ?? 0) <= maxSeconds)) return undefined;
        await flights.provide(missing, { signal, take, make });
      }
      return measured(focusTrack.parse(await Bun.file(path).json()));
    }).catch(ifMissing(undefined));

  return {
    find,
    findSoon: async (source, options) => {
      // continues after the answer, so that later callers find the result
      const { signal: _, ...patient } = options;
      const finding = find(source, patient);
      finding.catch(() => {});
      const waiting = new AbortController();
      const late = setTimeout(patienceMilliseconds, "measuring" as const, { signal: waiting.signal, ref: false });
      late.catch(() => {});
      return await Promise.race([finding, late]).finally(() => waiting.abort());
    },
  };
}

const measured = (track: FocusTrack): FocusTrack | undefined => (track.length > 0 ? track : undefined);

/** False for errors that do not depend on the file. */
const isOfSource = (error: unknown): boolean =>
  error instanceof FfmpegError || error instanceof SandboxTaskError || error instanceof SandboxedProcessError;

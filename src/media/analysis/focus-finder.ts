import { compileAnalysis } from "../../compiler/decode/analysis.ts";
import type { FocusFinder } from "../../domain/exports/focus.ts";
import type { RenderCache } from "../../domain/exports/renderer.ts";
import { type FileStore, referenceTo } from "../../domain/files/file-store.ts";
import { type CpuBudget, cpuBudget } from "../../platform/cpu-budget.ts";
import { withJobFolder } from "../../platform/job-folder.ts";
import type { TaskOptions } from "../../platform/task-options.ts";
import type { FocusTrack } from "../../timeline/focus.ts";
import type { Source } from "../../timeline/source.ts";
import type { Ffmpeg } from "../ffmpeg/ffmpeg.ts";
import { FfmpegError } from "../ffmpeg/run.ts";
import { focusKey } from "../render/cache-keys.ts";
import { SandboxTaskError } from "../sandbox/failures.ts";
import { SandboxedProcessError } from "../sandbox/one-shot-process.ts";
import { sharedTaskPool, type TaskPool } from "../sandbox/task-pool.ts";
import { analysisSize } from "./decode-frames.ts";
import { focusTrack, measureFocus } from "./measure/sandboxed.ts";
import { measureFrames } from "./measure-frames.ts";

type FocusFinderOptions = {
  readonly ffmpeg: Ffmpeg;
  readonly files: Pick<FileStore, "jobFolder" | "linkTo">;
  /** What one process has measured, all of them take. */
  readonly cache: Pick<RenderCache, "linkTo" | "put">;
  readonly canvas?: TaskPool;
  /** Default: one of its own. */
  readonly cpu?: Pick<CpuBudget, "models">;
};

/** Longer videos are not measured: nothing that runs out of time may decide what an export shows. */
const maxSeconds = 600;
const budgetMilliseconds = 600_000;
const imageSide = 512;

export function ffmpegFocusFinder({
  ffmpeg,
  files,
  cache,
  canvas = sharedTaskPool(),
  cpu = cpuBudget(),
}: FocusFinderOptions): FocusFinder {
  const measure = async (source: Source, folder: string, options: Required<TaskOptions>): Promise<FocusTrack> => {
    const { facts } = source;
    const file = `${folder}/source`;
    const image = `${folder}/image`;
    await files.linkTo(referenceTo(source), file);
    const isImage = facts.kind === "image";
    if (isImage) await canvas.run("prepareImage", { path: file, facts, maxSide: imageSide, output: image }, options);
    const { signal } = options;
    return await measureFrames(ffmpeg, { path: isImage ? image : file, facts }, measureFocus, {
      ...{ folder, signal, budgetMilliseconds, takesPart: false },
    });
  };

  return {
    find: (source, { projectId, owner, signal = new AbortController().signal }) =>
      withJobFolder(files.jobFolder, async (folder) => {
        const { facts, hash } = source;
        const key = focusKey(compileAnalysis(hash, facts, analysisSize(facts)), {
          projectId,
          ffmpegVersion: ffmpeg.version,
        });
        const path = `${folder}/focus.json`;
        if (await cache.linkTo(key, path)) return measured(focusTrack.parse(await Bun.file(path).json()));
        if (!((facts.durationSeconds ?? 0) <= maxSeconds)) return undefined;
        const options = { owner, signal };
        const track = await cpu
          .models(() => measure(source, folder, options), options)
          .catch((error) => {
            signal.throwIfAborted();
            if (isOfSource(error)) return [];
            throw error;
          });
        // also of a file that cannot be measured: nobody waits for that again
        await Bun.write(path, JSON.stringify(track));
        await cache.put([{ key, path }]);
        return measured(track);
      }),
  };
}

const measured = (track: FocusTrack): FocusTrack | undefined => (track.length > 0 ? track : undefined);

/** False for errors that say nothing about the file. */
const isOfSource = (error: unknown): boolean =>
  error instanceof FfmpegError || error instanceof SandboxTaskError || error instanceof SandboxedProcessError;

import { rm } from "node:fs/promises";
import type { FileStore } from "../domain/files.ts";
import { orFull } from "../domain/full-disk.ts";
import { type Gate, patientGate } from "../domain/gate.ts";
import type { PartCache, RenderedFilm, Renderer } from "../domain/rendering.ts";
import type { Source } from "../timeline/source.ts";
import type { Timeline } from "../timeline/timeline.ts";
import type { Ffmpeg } from "./ffmpeg.ts";
import { drawOverlays } from "./overlays.ts";
import { blameSource } from "./render-failure.ts";
import { type Job, renderFilm } from "./render-film.ts";
import { gatherSources } from "./render-sources.ts";

type Studio = {
  readonly ffmpeg: Ffmpeg;
  readonly files: FileStore;
  readonly cache: PartCache;
  /** Processes at a time, over all films together. */
  readonly concurrency: number;
};

type Options = Parameters<Renderer["render"]>[1];

export function ffmpegRenderer(studio: Studio): Renderer {
  const turn = patientGate(studio.concurrency);
  return { render: (timeline, options) => orFull(render(studio, turn, timeline, options)) };
}

async function render(studio: Studio, turn: Gate, timeline: Timeline, options: Options): Promise<RenderedFilm> {
  const folder = await studio.files.jobFolder();
  const dispose = () => rm(folder, { recursive: true, force: true });
  try {
    const job = await prepare(studio, turn, { timeline, folder, ...options });
    const path = await renderFilm(job).catch(async (error) => {
      options.signal.throwIfAborted();
      throw await blameSource(error, studio.ffmpeg, job);
    });
    return { path, sizeBytes: Bun.file(path).size, dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
}

type Order = Options & Pick<Job, "timeline" | "folder">;

/** Brings every file of the film into its folder: sources as they are, the rest as bitmaps. */
async function prepare(studio: Studio, turn: Gate, order: Order): Promise<Job> {
  const { ffmpeg, files: store, concurrency, cache } = studio;
  const { timeline, folder, signal, owner } = order;
  const { canvas, rate } = timeline;
  const openFile = (source: Source) => store.localPath(source.file);
  const files = await gatherSources(timeline, store, folder);
  const overlays = await drawOverlays(timeline.overlays, { canvas, rate, folder, openFile, signal });
  const run: Job["run"] = (command, options) => turn(() => ffmpeg.run(command, options), options.signal);
  const maker = { owner, ffmpegVersion: ffmpeg.version };
  return { ...order, files, overlays, run, concurrency, cache, maker };
}

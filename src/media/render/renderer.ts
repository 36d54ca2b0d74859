import { mkdir, rm } from "node:fs/promises";
import type { RenderCache, RenderedVideos, Renderer } from "../../domain/exports/renderer.ts";
import type { FileStore } from "../../domain/files/file-store.ts";
import { type ConcurrencyLimit, patientGate } from "../../platform/concurrency-limit.ts";
import { mapDiskFull } from "../../platform/disk-full.ts";
import type { Source } from "../../timeline/source.ts";
import type { Timeline } from "../../timeline/timeline.ts";
import type { Ffmpeg } from "../ffmpeg/ffmpeg.ts";
import { drawOverlays } from "../overlays/overlays.ts";
import { blameSource } from "./diagnose.ts";
import { planFilms } from "./plan.ts";
import { type Film, type Job, renderFilms } from "./render.ts";
import type { UnderWay } from "./single-flight.ts";
import { gatherSources } from "./sources.ts";

type Studio = {
  readonly ffmpeg: Ffmpeg;
  readonly files: FileStore;
  readonly cache: RenderCache;
  /** Processes at a time, over all films together. */
  readonly concurrency: number;
};

/** The studio, and what all films in it have in common. */
type Shop = Studio & { readonly turn: ConcurrencyLimit; readonly underWay: UnderWay };

type Options = Parameters<Renderer["render"]>[1];

export function ffmpegRenderer(studio: Studio): Renderer {
  const shop: Shop = { ...studio, turn: patientGate(studio.concurrency), underWay: new Map() };
  const { cache, ffmpeg } = studio;
  return {
    plan: (timelines, { quality, owner }) =>
      planFilms(timelines, { quality, cache, maker: { owner, ffmpegVersion: ffmpeg.version } }),
    render: (timelines, options) => mapDiskFull(render(shop, timelines, options)),
  };
}

async function render(shop: Shop, timelines: readonly Timeline[], options: Options): Promise<RenderedVideos> {
  const folder = await shop.files.jobFolder();
  const dispose = () => rm(folder, { recursive: true, force: true });
  try {
    const job = await prepare(shop, { timelines, folder, ...options });
    const paths = await renderFilms(job).catch(async (error) => {
      options.signal.throwIfAborted();
      throw await blameSource(error, shop.ffmpeg, job.films[0]);
    });
    return { videos: paths.map((path) => ({ path, sizeBytes: Bun.file(path).size })), dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
}

type Order = Options & Pick<Job, "folder"> & { readonly timelines: readonly Timeline[] };

async function prepare({ turn, underWay, ...studio }: Shop, order: Order): Promise<Job> {
  const { ffmpeg, concurrency, cache } = studio;
  const run: Job["run"] = (command, options) => turn(() => ffmpeg.run(command, options), options.signal);
  const maker = { owner: order.owner, ffmpegVersion: ffmpeg.version };
  const [first, ...others] = await prepareFilms(studio.files, order);
  if (!first) throw new Error("There is no timeline to render.");
  return { ...order, films: [first, ...others], run, concurrency, cache, maker, underWay };
}

/** Brings every file of the films into their folder: sources as they are, the rest as bitmaps. */
async function prepareFilms(store: FileStore, { timelines, folder, signal }: Order): Promise<readonly Film[]> {
  const openFile = (source: Source) => store.localPath(source.file);
  const files = await gatherSources(timelines, store, folder);
  const films: Film[] = [];
  for (const [index, timeline] of timelines.entries()) {
    const own = index === 0 ? folder : `${folder}/film-${index}`;
    await mkdir(own, { recursive: true });
    const { overlays, canvas, rate } = timeline;
    const drawn = await drawOverlays(overlays, { canvas, rate, folder: own, openFile, signal });
    films.push({ timeline, folder: own, files: files[index]!, overlays: drawn });
  }
  return films;
}

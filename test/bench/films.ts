import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findFfmpeg } from "../../src/engine/ffmpeg/ffmpeg.ts";
import { clearRenderCache, exportVideo } from "./export-request.ts";
import { type Figure, report } from "./figures.ts";
import { measuredEdits } from "./films/edits.ts";
import { limitOf } from "./films/limit.ts";
import { figureOf } from "./films/ratios.ts";
import { filmRequest } from "./films/requests.ts";
import { makeFootage, registerAt, startFilmService, uploadFootage } from "./films/service.ts";
import { chosenFilms, type FilmSeconds, runs } from "./films/settings.ts";
import { measureTime, untilProxies } from "./measure.ts";

/**
 * Measures the export of each film relative to the limit of any exporter, exports after an edit relative to the first
 * one, and drafts: in each run with proxies, and once without them. What is compared alternates within
 * each run. CPU times include all of the service's processes.
 */
const firstGoals = { 6: "<= 1.15", 15: "<= 1.08", 30: "<= 1.06" } as const;
const draftGoals = { 6: "", 15: "<= 0.40", 30: "" } as const;
const folder = await mkdtemp(join(tmpdir(), "reelwright-bench-"));
const { path: ffmpeg, version } = await findFfmpeg(process.env.FFMPEG_PATH);
const dataDir = join(folder, "data");
const service = await startFilmService(dataDir, ffmpeg);

try {
  const footage = await makeFootage(folder);
  const user = await registerAt(service);
  const uploads = await uploadFootage(user, footage);
  const figures: Figure[] = [];
  for (const seconds of chosenFilms) figures.push(...(await measureFilm(seconds)));
  report(figures);

  async function measureFilm(seconds: FilmSeconds): Promise<readonly Figure[]> {
    const film = filmRequest(seconds, uploads);
    const video = join(folder, `${seconds}.mp4`);
    const measureExport = (request: object) => measureTime(() => exportVideo(user, request, video), service.pid);
    const measureFirst = async (request: object) => {
      await clearRenderCache({ dataDir });
      return await measureExport(request);
    };
    await measureFirst(film); // warm-up
    const limit = limitOf(ffmpeg, film, footage.clips, join(folder, "film.yuv"));
    await limit.prepare(video);
    const draftRequest = { ...film, options: { quality: "draft" } };
    await rm(join(dataDir, "proxies"), { recursive: true, force: true });
    const draftWithoutProxies = await measureFirst(draftRequest);
    await untilProxies(service.pid);
    const results: RunResult[] = [];
    for (let run = 0; run < runs; run++) {
      const first = await measureFirst(film);
      const limitCpu = await limit.cpuSeconds();
      const edits: EditResult[] = [];
      for (const { name, goal, edited } of measuredEdits(seconds, film, uploads, run)) {
        edits.push({ name, goal, cpu: (await measureExport(edited)).cpu });
      }
      const draft = await measureFirst(draftRequest);
      results.push({ first, limitCpu, edits, draft, draftWithoutProxies });
    }
    await limit.close();
    return figuresOf(seconds, results);
  }
} finally {
  await service.stop();
  await rm(folder, { recursive: true, force: true });
}

type EditResult = { readonly name: string; readonly goal: string; readonly cpu: number };

type Used = { readonly cpu: number; readonly wall: number };

type RunResult = {
  readonly first: Used;
  readonly limitCpu: number;
  readonly edits: readonly EditResult[];
  readonly draft: Used;
  /** Measured once. */
  readonly draftWithoutProxies: Used;
};

function figuresOf(seconds: FilmSeconds, results: readonly RunResult[]): readonly Figure[] {
  const title = `film of ${seconds} s, ffmpeg ${version}`;
  const figure = (name: string, of: (result: RunResult) => number, goal = "", digits = 3) =>
    figureOf(`${title}, ${name}`, results.map(of), goal, digits);
  const edits = results[0]!.edits.map(({ name, goal }, index) =>
    figure(`CPU after ${name} / first`, ({ edits, first }) => edits[index]!.cpu / first.cpu, goal),
  );
  return [
    figure("first CPU / limit", ({ first, limitCpu }) => first.cpu / limitCpu, firstGoals[seconds]),
    ...edits,
    figure("draft wall / standard", ({ first, draft }) => draft.wall / first.wall, draftGoals[seconds]),
    figure("draft CPU / standard", ({ first, draft }) => draft.cpu / first.cpu),
    figure(
      "draft wall / standard, without proxies",
      ({ first, draftWithoutProxies }) => draftWithoutProxies.wall / first.wall,
    ),
    figure("first CPU s", ({ first }) => first.cpu, "", 1),
    figure("limit CPU s", ({ limitCpu }) => limitCpu, "", 1),
    figure("first wall s", ({ first }) => first.wall, "", 1),
  ];
}

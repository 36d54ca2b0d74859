import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findFfmpeg } from "../../src/media/ffmpeg/ffmpeg.ts";
import type { TestUser } from "../support/service.ts";
import { clearRenderCache, exportVideo } from "./export-request.ts";
import { report } from "./figures.ts";
import { figureOf } from "./films/ratios.ts";
import { filmRequest } from "./films/requests.ts";
import { makeFootage, registerAt, startFilmService, uploadFootage } from "./films/service.ts";
import { runs } from "./films/settings.ts";
import { untilIdle } from "./measure.ts";

/**
 * Measures what the service itself costs beside ffmpeg: the first export of a new process, with three texts. Counts from
 * the request until the process is idle again, and what the start costs before, until it is idle for the first time.
 */
const folder = await mkdtemp(join(tmpdir(), "reelwright-bench-"));
const { path: ffmpeg, version } = await findFfmpeg(process.env.FFMPEG_PATH);
const dataDir = join(folder, "data");

let service = await startFilmService(dataDir, ffmpeg);

try {
  const user = await registerAt({
    get url() {
      return service.url;
    },
  });
  const uploads = await uploadFootage(user, await makeFootage(folder));
  const film = filmRequest(15, uploads);
  const shares: Share[] = [];
  for (let run = 0; run < runs; run++) shares.push(await measureFirstExport(user, film));
  const figure = (name: string, of: (share: Share) => number, goal = "") =>
    figureOf(`${name}, ffmpeg ${version}`, shares.map(of), goal, 2);
  const firstExport = "first export of 15 s in a new, idle process";
  report([
    figure(`${firstExport}: service and canvas CPU s`, ({ film }) => film.service + film.canvas, "<= 0.50"),
    figure(`${firstExport}: service CPU s`, ({ film }) => film.service),
    figure(`${firstExport}: canvas CPU s`, ({ film }) => film.canvas),
    figure(`${firstExport}: ffmpeg CPU s`, ({ film }) => film.ffmpegs),
    figure("start until idle: service and canvas CPU s", ({ start }) => start.service + start.canvas),
  ]);
} finally {
  await service.stop();
  await rm(folder, { recursive: true, force: true });
}

type CpuSeconds = { readonly service: number; readonly canvas: number; readonly ffmpegs: number };
type Share = { readonly start: CpuSeconds; readonly film: CpuSeconds };

async function measureFirstExport(user: TestUser, film: object): Promise<Share> {
  await service.stop();
  await clearRenderCache({ dataDir });
  service = await startFilmService(dataDir, ffmpeg);
  const start = await usedUntilIdle();
  await exportVideo(user, film);
  const end = await usedUntilIdle();
  return {
    start,
    film: {
      service: end.service - start.service,
      canvas: end.canvas - start.canvas,
      ffmpegs: end.ffmpegs - start.ffmpegs,
    },
  };
}

/** Since the start. Idle sandbox processes outlive the export, so what ended were ffmpegs and other tools. */
async function usedUntilIdle(): Promise<CpuSeconds> {
  const { own, running, ended } = await untilIdle(service.pid);
  return { service: own, canvas: running, ffmpegs: ended };
}

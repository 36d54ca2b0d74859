import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findFfmpeg } from "../../src/media/ffmpeg/ffmpeg.ts";
import type { TestUser } from "../helpers/service.ts";
import { clearRenderCache, exportVideo } from "./export-request.ts";
import { report } from "./figures.ts";
import { figureOf } from "./films/ratios.ts";
import { filmRequest } from "./films/requests.ts";
import { makeFootage, registerAt, startFilmService, uploadFootage } from "./films/service.ts";
import { runs } from "./films/settings.ts";
import { cpuSeconds } from "./measure.ts";

/** Measures what the service itself costs beside ffmpeg: the first export of a new process, with three texts. */
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
    figureOf(`first export of 15 s in a new process, ffmpeg ${version}, ${name}`, shares.map(of), goal, 2);
  report([
    figure("service and canvas CPU s", ({ service, canvas }) => service + canvas, "<= 0.50"),
    figure("service CPU s", ({ service }) => service),
    figure("canvas CPU s", ({ canvas }) => canvas),
    figure("ffmpeg CPU s", ({ ffmpegs }) => ffmpegs),
  ]);
} finally {
  await service.stop();
  await rm(folder, { recursive: true, force: true });
}

type Share = { readonly service: number; readonly canvas: number; readonly ffmpegs: number };

/** Idle canvas processes outlive the export, so what ended meanwhile were ffmpegs. */
async function measureFirstExport(user: TestUser, film: object): Promise<Share> {
  await service.stop();
  await clearRenderCache({ dataDir });
  service = await startFilmService(dataDir, ffmpeg);
  const before = cpuSeconds(service.pid);
  await exportVideo(user, film);
  const after = cpuSeconds(service.pid);
  return {
    service: after.own - before.own,
    canvas: after.running - before.running,
    ffmpegs: after.ended - before.ended,
  };
}

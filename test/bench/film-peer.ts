import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findFfmpeg } from "../../src/media/ffmpeg/ffmpeg.ts";
import { clearRenderCache, exportVideo } from "./export-request.ts";
import { type Figure, report } from "./figures.ts";
import { peerClips, renderByPeer, withoutFits } from "./films/peer.ts";
import { figureOf } from "./films/ratios.ts";
import { filmRequest } from "./films/requests.ts";
import { makeFootage, registerAt, startFilmService, uploadFootage } from "./films/service.ts";
import { chosenFilms, type FilmSeconds, peerFolder, runs } from "./films/settings.ts";
import { measureTime } from "./measure.ts";

/** Measures the time of an export relative to that of simple-ffmpegjs, in the folder that `BENCH_PEER` names. */
const folder = await mkdtemp(join(tmpdir(), "reelwright-bench-"));
const { path: ffmpeg, version } = await findFfmpeg(process.env.FFMPEG_PATH);
const dataDir = join(folder, "data");
if (!peerFolder) throw new Error("Name the folder of simple-ffmpegjs in BENCH_PEER.");
const library = peerFolder;
const service = await startFilmService(dataDir, ffmpeg);

try {
  const footage = await makeFootage(folder);
  const user = await registerAt(service);
  const uploads = await uploadFootage(user, footage);
  const figures: Figure[] = [];
  for (const seconds of chosenFilms) figures.push(...(await measureFilm(seconds)));
  report(figures);

  async function measureFilm(seconds: FilmSeconds): Promise<readonly Figure[]> {
    const film = withoutFits(filmRequest(seconds, uploads));
    const job = { library, clips: peerClips(film, footage.clips, footage.music[0]!), output: join(folder, "peer.mp4") };
    const ours: { readonly cpu: number; readonly wall: number }[] = [];
    const peer: { readonly cpu: number; readonly wall: number }[] = [];
    for (let run = 0; run < runs; run++) {
      await clearRenderCache({ dataDir });
      ours.push(await measureTime(() => exportVideo(user, film, join(folder, "film.mp4")), service.pid));
      const { cpu, result } = await measureTime(() => renderByPeer(job, ffmpeg, folder));
      peer.push({ cpu, wall: result });
    }
    const figure = (name: string, of: "cpu" | "wall", goal = "") => {
      const title = `film of ${seconds} s, ffmpeg ${version}, ${name} / simple-ffmpegjs`;
      const ratios = ours.map((own, run) => own[of] / peer[run]![of]);
      return figureOf(title, ratios, goal);
    };
    return [figure("wall", "wall", "<= 0.85"), figure("CPU", "cpu")];
  }
} finally {
  await service.stop();
  await rm(folder, { recursive: true, force: true });
}

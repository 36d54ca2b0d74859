import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { findFfmpeg } from "../../src/media/ffmpeg/ffmpeg.ts";
import { clearRenderCache, exportVideo } from "./export-request.ts";
import { type Figure, report } from "./figures.ts";
import { randomEdit, seededRandom } from "./films/random-edits.ts";
import { type FilmRequest, filmRequest } from "./films/requests.ts";
import { makeFootage, registerAt, startFilmService, uploadFootage } from "./films/service.ts";
import { chosenFilms } from "./films/settings.ts";

/**
 * Edits the films at random, exports each version with what earlier exports left in the cache, then without, and
 * counts the decoded frames that differ. `SEED` gives other edits; the frames are small to save time.
 */
const edits = 6;
const seed = Number(process.env.SEED || 1);
const options = { width: 180, height: 320 };
const folder = await mkdtemp(join(tmpdir(), "reelwright-bench-"));
const { path: ffmpeg, version } = await findFfmpeg(process.env.FFMPEG_PATH);
const dataDir = join(folder, "data");
const service = await startFilmService(dataDir, ffmpeg);

try {
  const user = await registerAt(service);
  const uploads = await uploadFootage(user, await makeFootage(folder));
  const exportFrames = async (film: FilmRequest) => {
    const video = join(folder, "film.mp4");
    await exportVideo(user, { ...film, options }, video);
    const { stdout } = await execa(ffmpeg, ["-v", "error", "-i", video, "-f", "framemd5", "-"]);
    return stdout.split("\n").filter((line) => !line.startsWith("#"));
  };

  const figures: Figure[] = [];
  for (const seconds of chosenFilms) {
    const random = seededRandom(seed);
    const versions: { readonly film: FilmRequest; readonly warm: readonly string[] }[] = [];
    for (let film = filmRequest(seconds, uploads); versions.length <= edits; film = randomEdit(film, random)) {
      versions.push({ film, warm: await exportFrames(film) });
    }
    let unequal = 0;
    for (const { film, warm } of versions) {
      await clearRenderCache({ dataDir });
      unequal += countUnequal(warm, await exportFrames(film));
    }
    const of = versions.reduce((sum, { warm }) => sum + warm.length, 0);
    const figure = `film of ${seconds} s, ffmpeg ${version}, frames of picture and sound that differ warm and cold`;
    figures.push({ figure, measured: `${unequal} of ${of}`, goal: "0" });
  }
  report(figures);
} finally {
  await service.stop();
  await rm(folder, { recursive: true, force: true });
}

function countUnequal(warm: readonly string[], cold: readonly string[]): number {
  const frames = Array.from({ length: Math.max(warm.length, cold.length) }, (_, index) => index);
  return frames.filter((index) => warm[index] !== cold[index]).length;
}

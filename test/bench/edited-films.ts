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
    const unequal: string[] = [];
    for (const { film, warm } of versions) {
      await clearRenderCache({ dataDir });
      unequal.push(...unequalFrames(warm, await exportFrames(film)));
    }
    figures.push(...figuresOf(seconds, unequal));
  }
  report(figures);
} finally {
  await service.stop();
  await rm(folder, { recursive: true, force: true });
}

/** The lines of framemd5 that differ; each begins with the number of its stream. */
function unequalFrames(warm: readonly string[], cold: readonly string[]): readonly string[] {
  const longer = warm.length > cold.length ? warm : cold;
  return longer.filter((_, index) => warm[index] !== cold[index]);
}

function figuresOf(seconds: number, unequal: readonly string[]): readonly Figure[] {
  return ["pictures", "frames of sound"].map((what, stream) => ({
    figure: `film of ${seconds} s, ffmpeg ${version}, ${what} that differ warm and cold after ${edits} edits`,
    measured: `${unequal.filter((line) => line.startsWith(`${stream},`)).length}`,
    goal: "0",
  }));
}

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readEnvironment } from "../../src/env.ts";
import { findFfmpeg } from "../../src/media/ffmpeg/ffmpeg.ts";
import { clearRenderCache, exportVideo } from "./export-request.ts";
import { report } from "./figures.ts";
import { filmRequest, repeated } from "./films/requests.ts";
import { makeFootage, registerAt, startFilmService, uploadFootage } from "./films/service.ts";
import { measureFfmpegMemory } from "./measure.ts";

/**
 * Measures the memory of all ffmpegs together during an export. The film of ten minutes repeats the one of 15 seconds,
 * so it renders few pixels more, but all of the sound, and joins all of its parts.
 */
const folder = await mkdtemp(join(tmpdir(), "reelwright-bench-"));
const { path: ffmpeg, version } = await findFfmpeg(process.env.FFMPEG_PATH);
const { EXPORT_CONCURRENCY } = readEnvironment();
const dataDir = join(folder, "data");
const service = await startFilmService(dataDir, ffmpeg);

try {
  const user = await registerAt(service);
  const film = filmRequest(15, await uploadFootage(user, await makeFootage(folder)));
  const measure = async (request: object) => {
    await clearRenderCache({ dataDir });
    const megabytes = await measureFfmpegMemory(service.pid, () => exportVideo(user, request));
    return megabytes / EXPORT_CONCURRENCY;
  };
  const short = await measure(film);
  const long = await measure(repeated(film, 600));
  const title = `ffmpeg ${version}, peak memory of a parallel process`;
  report([
    { figure: `${title}, 15 s`, measured: `${short.toFixed(0)} MB`, goal: "<= 400 MB" },
    { figure: `${title}, 10 min`, measured: `${long.toFixed(0)} MB`, goal: "<= 400 MB" },
  ]);
} finally {
  await service.stop();
  await rm(folder, { recursive: true, force: true });
}

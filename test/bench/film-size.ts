import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { findFfmpeg } from "../../src/media/ffmpeg/ffmpeg.ts";
import { exportVideo } from "./export-request.ts";
import { type Figure, report } from "./figures.ts";
import type { ClipKind } from "./films/clips.ts";
import { makeFootage, registerAt, startFilmService, uploadFootage } from "./films/service.ts";

/**
 * Measures the size of a film of one clip relative to one pass over the same frames with keyframes up to 250 frames
 * apart. The clips have the film's size, rate and color, so both encoders get exactly the decoded frames of the clip.
 */
const seconds = 8;
const likeFilm = {
  footage: "bottle-detection.mp4",
  firstFrame: 0,
  seconds,
  rate: "30",
  gop: 30,
  matrix: "bt709",
} as const;
const clips: readonly (ClipKind & { readonly goal: string })[] = [
  { ...likeFilm, name: "moving", isMoving: true, isPortrait: true, hasSound: false, goal: "<= 1.15" },
  { ...likeFilm, name: "calm", isMoving: false, isPortrait: true, hasSound: false, goal: "<= 1.30" },
];
const folder = await mkdtemp(join(tmpdir(), "reelwright-bench-"));
const { path: ffmpeg, version } = await findFfmpeg(process.env.FFMPEG_PATH);
const service = await startFilmService(join(folder, "data"), ffmpeg);

try {
  const user = await registerAt(service);
  const footage = await makeFootage(folder, clips);
  const { projectId, workId } = await uploadFootage(user, footage);
  const figures: Figure[] = [];
  for (const [sceneIndex, { name, goal }] of clips.entries()) {
    const film = join(folder, "film.mp4");
    const onePass = join(folder, "one-pass.mp4");
    await exportVideo(user, { projectId, workId, clips: [{ sceneIndex, position: 0, end: seconds }] }, film);
    const encoding = ["-c:v", "libx264", "-preset", "veryfast", "-crf", "23", "-g", "250"];
    await execa(ffmpeg, ["-v", "error", "-y", "-i", footage.clips[sceneIndex]!, "-an", ...encoding, onePass]);
    const ratio = (await videoBytes(film)) / (await videoBytes(onePass));
    figures.push({ figure: `${name} footage, ffmpeg ${version}, size / one pass`, measured: ratio.toFixed(3), goal });
  }
  report(figures);
} finally {
  await service.stop();
  await rm(folder, { recursive: true, force: true });
}

/** Bytes of the video alone: a film without sound has a silent track. */
async function videoBytes(path: string): Promise<number> {
  const copy = join(folder, "video.h264");
  await execa(ffmpeg, ["-v", "error", "-y", "-i", path, "-map", "0:v", "-c", "copy", copy]);
  return Bun.file(copy).size;
}

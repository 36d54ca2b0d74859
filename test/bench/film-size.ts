import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { findFfmpeg } from "../../src/engine/ffmpeg/ffmpeg.ts";
import { exportVideo } from "./export-request.ts";
import { type Figure, report } from "./figures.ts";
import type { ClipKind } from "./films/clips.ts";
import { makeFootage, registerAt, startFilmService, uploadFootage } from "./films/service.ts";

/**
 * Measures the size of a film of one clip relative to one pass over the same frames with keyframes up to 250 frames
 * apart, at the same quality factor and at equal SSIM. The clips have the film's size, rate and color, so both encoders
 * get exactly the decoded frames of the clip.
 */
const seconds = 4;
/** Of the passes between which the size at an SSIM is found. */
const qualityFactors = [20, 23, 26, 29];
const likeFilm = {
  footage: "bottle-detection.mp4",
  firstFrame: 0,
  seconds,
  rate: "30",
  gop: 30,
  matrix: "bt709",
} as const;
const clips: readonly (ClipKind & { readonly goal: string; readonly equalSsimGoal: string })[] = [
  {
    ...likeFilm,
    name: "moving",
    isMoving: true,
    isPortrait: true,
    hasSound: false,
    goal: "<= 1.15",
    equalSsimGoal: "<= 1.03",
  },
  {
    ...likeFilm,
    name: "calm",
    isMoving: false,
    isPortrait: true,
    hasSound: false,
    goal: "<= 1.30",
    equalSsimGoal: "<= 1.15",
  },
];
const folder = await mkdtemp(join(tmpdir(), "reelwright-bench-"));
const { path: ffmpeg, version } = await findFfmpeg(process.env.FFMPEG_PATH);
const service = await startFilmService(join(folder, "data"), ffmpeg);

try {
  const user = await registerAt(service);
  const footage = await makeFootage(folder, clips);
  const { projectId, workId } = await uploadFootage(user, footage);
  const figures: Figure[] = [];
  for (const [sceneIndex, { name, goal, equalSsimGoal }] of clips.entries()) {
    const clip = footage.clips[sceneIndex]!; // safe because there is one for each kind
    const film = join(folder, "film.mp4");
    await exportVideo(user, { projectId, workId, clips: [{ sceneIndex, position: 0, end: seconds }] }, film);
    const exported = await encodedSize(film, clip);
    const passes = [];
    for (const crf of qualityFactors) passes.push(await onePass(clip, crf));
    const figure = `${name} footage, ffmpeg ${version}, size / one pass`;
    const atCrf = exported.bytes / passes[1]!.bytes; // safe because of the list of quality factors
    const atSsim = exported.bytes / bytesAt(exported.ssim, passes);
    figures.push({ figure: `${figure} at CRF 23`, measured: atCrf.toFixed(3), goal });
    figures.push({ figure: `${figure} at equal SSIM`, measured: atSsim.toFixed(3), goal: equalSsimGoal });
  }
  report(figures);
} finally {
  await service.stop();
  await rm(folder, { recursive: true, force: true });
}

/** `ssim` is in decibels. */
type EncodedSize = { readonly bytes: number; readonly ssim: number };

async function onePass(clip: string, crf: number): Promise<EncodedSize> {
  const path = join(folder, "one-pass.mp4");
  const encoding = ["-c:v", "libx264", "-preset", "veryfast", "-crf", `${crf}`, "-g", "250"];
  await execa(ffmpeg, ["-v", "error", "-y", "-i", clip, "-an", ...encoding, path]);
  return await encodedSize(path, clip);
}

/** Of the video alone: a film without sound has a silent track. */
async function encodedSize(path: string, clip: string): Promise<EncodedSize> {
  const copy = join(folder, "video.h264");
  await execa(ffmpeg, ["-v", "error", "-y", "-i", path, "-map", "0:v", "-c", "copy", copy]);
  const compare = "[0:v]setpts=N/30/TB[a];[1:v]setpts=N/30/TB[b];[a][b]ssim=shortest=1";
  const { stderr } = await execa(ffmpeg, ["-i", path, "-i", clip, "-lavfi", compare, "-f", "null", "-"]);
  const [, all] = /SSIM .*All:([\d.]+)/.exec(stderr) ?? [];
  return { bytes: Bun.file(copy).size, ssim: -10 * Math.log10(1 - Number(all)) };
}

/** The bytes of one pass at an SSIM, between (or beyond) the two nearest passes: their logarithm is nearly linear in it. */
function bytesAt(ssim: number, passes: readonly EncodedSize[]): number {
  const worse = passes.findIndex((pass) => pass.ssim <= ssim);
  const at = worse < 0 ? passes.length - 2 : Math.max(0, worse - 1);
  const [better, next] = [passes[at]!, passes[at + 1]!]; // safe because there are two passes at least
  const share = (ssim - next.ssim) / (better.ssim - next.ssim);
  return Math.exp(Math.log(next.bytes) + share * Math.log(better.bytes / next.bytes));
}

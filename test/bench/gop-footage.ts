import { existsSync } from "node:fs";
import { mkdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { execa } from "execa";
import { findFfmpeg } from "../../src/engine/ffmpeg/ffmpeg.ts";
import { footageFolder, mediaFolder } from "./films/settings.ts";

type Clips = {
  readonly count: number;
  readonly size: string;
  readonly rate: number;
  readonly encoding: readonly string[];
};

/** Clips of eight seconds, as their makers encode them, by name. */
export const clipKinds: Readonly<Record<string, Clips>> = {
  "generated clips (one GOP)": {
    count: 3,
    size: "1920:1080",
    rate: 24,
    encoding: ["-preset", "fast", "-crf", "20", "-g", "9999", "-sc_threshold", "0"],
  },
  "phone clips (GOPs of 1 s)": {
    count: 3,
    size: "1080:1920",
    rate: 30,
    encoding: ["-preset", "superfast", "-b:v", "16M", "-bf", "0", "-g", "30"],
  },
};

/** Encodes clips of a kind from real footage, or from drawn frames; keeps them if `BENCH_FOOTAGE` names a folder. */
export async function encodeClips(folder: string, kind: string): Promise<readonly string[]> {
  const target = footageFolder ?? folder;
  await mkdir(target, { recursive: true });
  // the same clips for every ffmpeg that is measured
  const { path: ffmpeg } = await findFfmpeg();
  const { count, size, rate, encoding } = clipKinds[kind]!; // safe because callers take names from the table
  const clips: string[] = [];
  for (let index = 0; index < count; index++) {
    const path = join(target, `gop-${rate}-${index}.mp4`);
    clips.push(path);
    if (existsSync(path)) continue;
    const look = `setpts=N/${rate}/TB,scale=${size}:force_original_aspect_ratio=increase,crop=${size},setsar=1`;
    const grain = `noise=alls=${4 + index}:allf=t,format=yuv420p`;
    const part = `${path}.part`;
    await execa(ffmpeg, [
      ...["-v", "error", "-y", ...input, "-an", "-vf", `${look},${grain}`],
      ...["-r", `${rate}`, "-t", "8", "-c:v", "libx264", ...encoding, "-f", "mp4", part],
    ]);
    await rename(part, path);
  }
  return clips;
}

const input = mediaFolder
  ? ["-stream_loop", "3", "-i", join(mediaFolder, "video.mp4")]
  : ["-f", "lavfi", "-i", "mandelbrot=s=960x540:rate=25:maxiter=400"];

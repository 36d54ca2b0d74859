import { existsSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import type { Footage } from "./footage.ts";

/** Real footage; without it, clips are drawn. */
const realClip = join(import.meta.dir, "..", "..", "..", "shared", "media", "video.mp4");

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

/** Encodes clips of a kind. Music and image are those of other footage. */
export async function encodeClips(ffmpeg: string, folder: string, kind: string, footage: Footage): Promise<Footage> {
  const { count, size, rate, encoding } = clipKinds[kind]!; // safe because callers take names from the table
  const clips: string[] = [];
  for (let index = 0; index < count; index++) {
    const input = existsSync(realClip) ? realClip : footage.clips[index]!;
    const path = join(folder, `${clips.length}-${rate}.mp4`);
    const look = `setpts=N/${rate}/TB,scale=${size}:force_original_aspect_ratio=increase,crop=${size},setsar=1`;
    const grain = `noise=alls=${4 + index}:allf=t,format=yuv420p`;
    await execa(ffmpeg, [
      ...["-v", "error", "-y", "-stream_loop", "3", "-i", input, "-an", "-vf", `${look},${grain}`],
      ...["-r", `${rate}`, "-t", "8", "-c:v", "libx264", ...encoding, path],
    ]);
    clips.push(path);
  }
  return { ...footage, clips };
}

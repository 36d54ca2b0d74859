import { join } from "node:path";
import { execa } from "execa";
import { findFfmpeg } from "../../src/engine/ffmpeg/ffmpeg.ts";

/** Sources of lavfi; the first and the last move everywhere, so that they take time to encode. */
const drawings = [
  "mandelbrot=s=360x640:rate=30:maxiter=300:start_scale=2.6:end_scale=0.4:end_pts=150",
  "testsrc2=s=720x1280:r=30",
  "cellauto=s=360x640:rate=30:rule=110:random_seed=7",
];

/** Writes three clips of five seconds with sound, as MP4, and returns their paths. */
export async function drawClips(folder: string): Promise<readonly string[]> {
  const { path: ffmpeg } = await findFfmpeg(process.env.FFMPEG_PATH);
  const draw = async (drawing: string, index: number) => {
    const path = join(folder, `clip-${index}.mp4`);
    const inputs = ["-f", "lavfi", "-i", drawing, "-f", "lavfi", "-i", `sine=f=${220 * (index + 1)}`];
    const encode = ["-vf", "scale=720:1280", "-pix_fmt", "yuv420p", "-c:v", "libx264", "-preset", "veryfast"];
    await execa(ffmpeg, ["-v", "error", "-y", ...inputs, "-t", "5", ...encode, path]);
    return path;
  };
  return Promise.all(drawings.map(draw));
}

import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createCanvas } from "@napi-rs/canvas";
import { execa } from "execa";
import { findFfmpeg } from "../../src/media/ffmpeg/ffmpeg.ts";
import { composeMusic } from "./music.ts";

/** A font and music, and the temporary folder of generated files. */
export type DemoBasics = { readonly folder: string; readonly music: string; readonly font: string };

export type DemoMedia = DemoBasics & { readonly clips: readonly string[]; readonly logo: string };

/** Media for a video whose clips the service generates. */
export async function createBasics(): Promise<DemoBasics> {
  const folder = await mkdtemp(join(tmpdir(), "reelwright-demo-"));
  const music = join(folder, "music.wav");
  await Bun.write(music, composeMusic());
  const font = new URL(import.meta.resolve("@expo-google-fonts/inter/800ExtraBold/Inter_800ExtraBold.ttf")).pathname;
  return { folder, music, font };
}

/** Media for a video of uploaded clips. */
export async function createMedia(): Promise<DemoMedia> {
  const basics = await createBasics();
  const { path: ffmpeg } = await findFfmpeg(process.env.FFMPEG_PATH);
  return { ...basics, clips: await drawClips(ffmpeg, basics.folder), logo: await drawLogo(basics.folder) };
}

/** lavfi sources. */
const drawings = [
  "mandelbrot=s=360x640:rate=30:maxiter=300:start_scale=2.6:end_scale=0.4:end_pts=150",
  "testsrc2=s=720x1280:r=30",
  "cellauto=s=360x640:rate=30:rule=110:random_seed=7",
];

async function drawClips(ffmpeg: string, folder: string): Promise<string[]> {
  const draw = async (drawing: string, index: number) => {
    const path = join(folder, `clip-${index}.mp4`);
    const sound = ["-f", "lavfi", "-i", `sine=f=${220 * (index + 1)}`];
    const encode = ["-vf", "scale=720:1280", "-pix_fmt", "yuv420p", "-c:v", "libx264", "-preset", "veryfast"];
    await execa(ffmpeg, ["-v", "error", "-y", "-f", "lavfi", "-i", drawing, ...sound, "-t", "5", ...encode, path]);
    return path;
  };
  return Promise.all(drawings.map(draw));
}

async function drawLogo(folder: string): Promise<string> {
  const canvas = createCanvas(320, 320);
  const pen = canvas.getContext("2d");
  pen.fillStyle = "#ff6b35";
  pen.beginPath();
  pen.arc(160, 160, 150, 0, 2 * Math.PI);
  pen.fill();
  pen.fillStyle = "#fff8f0";
  pen.beginPath();
  pen.moveTo(120, 85);
  pen.lineTo(245, 160);
  pen.lineTo(120, 235);
  pen.fill();
  const path = join(folder, "logo.png");
  await Bun.write(path, canvas.toBuffer("image/png"));
  return path;
}

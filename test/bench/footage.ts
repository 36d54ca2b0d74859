import { join } from "node:path";
import { execa } from "execa";

const clipCount = 6;
/** Longer than on the timeline, so that a transition can use frames past the clip's end. */
const clipSeconds = 5.7;

export type Footage = { readonly clips: readonly string[]; readonly music: string; readonly image: string };

/** Six 1080x1920 clips at 30 fps, half of them with sound, an image and music. */
export async function drawFootage(ffmpeg: string, folder: string): Promise<Footage> {
  const clips = Array.from({ length: clipCount }, (_, index) => join(folder, `clip-${index}.mp4`));
  for (const [index, path] of clips.entries()) await drawClip(ffmpeg, index, path);
  return { clips, ...(await drawMusicAndImage(ffmpeg, folder)) };
}

export async function drawMusicAndImage(ffmpeg: string, folder: string): Promise<Omit<Footage, "clips">> {
  const music = join(folder, "music.wav");
  const image = join(folder, "image.png");
  await execa(ffmpeg, ["-v", "error", "-y", ...tone(220, 31), music]);
  await execa(ffmpeg, ["-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=s=400x300", "-frames:v", "1", image]);
  return { music, image };
}

async function drawClip(ffmpeg: string, index: number, path: string) {
  const hasSound = index % 2 === 0;
  const sound = hasSound ? tone(330 + 110 * index, clipSeconds) : [];
  const maps = ["-map", "0:v", ...(hasSound ? ["-map", "1:a"] : [])];
  // a slow zoom into fine detail, with camera grain
  const source = ["-f", "lavfi", "-i", `mandelbrot=s=540x960:rate=30:maxiter=400:start_scale=${0.1 + index * 0.02}`];
  const look = `scale=1080:1920,setsar=1,noise=alls=3:allf=t,hue=h=${index * 60}`;
  const encode = [
    "-c:v",
    "libx264",
    "-preset",
    "veryfast",
    "-b:v",
    "12M",
    "-maxrate",
    "16M",
    "-bufsize",
    "24M",
    "-pix_fmt",
    "yuv420p",
    "-c:a",
    "aac",
  ];
  const length = ["-t", `${clipSeconds}`];
  await execa(ffmpeg, ["-v", "error", "-y", ...source, ...sound, ...maps, "-vf", look, ...encode, ...length, path]);
}

const tone = (frequency: number, seconds: number) => ["-f", "lavfi", "-t", `${seconds}`, "-i", `sine=f=${frequency}`];

import { createCanvas, loadImage } from "@napi-rs/canvas";
import { smallCanvas } from "./draw-media.ts";
import { everyFrame, runFfmpeg, type TestFfmpeg } from "./ffmpeg.ts";

/** Three bytes per pixel. */
export type Rgb = Uint8Array;

/** All frames of a video. */
export async function rgbFrames(build: TestFfmpeg, path: string, size = smallCanvas): Promise<readonly Rgb[]> {
  const rawRgb = [...(await everyFrame(build)), "-f", "rawvideo", "-pix_fmt", "rgb24"];
  const bytes = await runFfmpeg(build, ["-i", path, ...rawRgb, "-"]);
  const frameBytes = size.width * size.height * 3;
  return Array.from({ length: bytes.length / frameBytes }, (_, index) =>
    bytes.subarray(index * frameBytes, (index + 1) * frameBytes),
  );
}

export async function pixelsOf(png: Uint8Array): Promise<Rgb> {
  const image = await loadImage(png);
  const context = createCanvas(image.width, image.height).getContext("2d");
  context.drawImage(image, 0, 0);
  const { data } = context.getImageData(0, 0, image.width, image.height);
  return Uint8Array.from(
    { length: (data.length / 4) * 3 },
    (_, index) => data[Math.floor(index / 3) * 4 + (index % 3)]!,
  );
}

/** Peak signal-to-noise ratio in decibels, over all channels. */
export function psnr(a: Rgb, b: Rgb): number {
  const squares = a.reduce((sum, level, index) => sum + (level - b[index]!) ** 2, 0);
  return 10 * Math.log10(255 ** 2 / Math.max(squares / a.length, 1e-9));
}

import { copyFile, rename, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { createCanvas, loadImage } from "@napi-rs/canvas";
import type { MediaFacts, Source, VideoFacts } from "../../../src/engine/timeline/source.ts";
import { everyFrame, ffmpegs, runFfmpeg, type TestFfmpeg } from "./ffmpeg.ts";

/** Renders in milliseconds, and holds the sixteen blocks of `drawNumbers`. */
export const smallCanvas = { width: 64, height: 36 };

const firstFfmpeg = (): TestFfmpeg => {
  const [first] = ffmpegs();
  if (!first) throw new Error("There is no ffmpeg on this machine.");
  return first;
};

const sdr: VideoFacts = { codec: "avc", hasAlpha: false, matrix: "bt709", fullRange: false, transfer: "sdr" };

export const videoSource = (
  file: string,
  facts: Partial<MediaFacts> = {},
  videoFacts: Partial<VideoFacts> = {},
): Source => ({
  file,
  hash: file,
  facts: {
    kind: "video",
    container: "mp4",
    mimeType: "video/mp4",
    extension: "mp4",
    ...smallCanvas,
    hasSound: false,
    ...facts,
    picture: { ...sdr, ...videoFacts },
  },
});

export const imageSource = (file: string, size = smallCanvas): Source => ({
  file,
  hash: file,
  facts: { kind: "image", container: "png", mimeType: "image/png", extension: "png", ...size },
});

export const audioSource = (file: string, facts: Partial<MediaFacts> = {}): Source => ({
  file,
  hash: file,
  facts: { kind: "audio", container: "wav", mimeType: "audio/wav", extension: "wav", hasSound: true, ...facts },
});

/** Draws with lavfi, once for all processes and runs: see `drawnFile`. `args` are output options. */
export const draw = async (path: string, drawing: string, ...args: readonly string[]): Promise<string> => {
  // a pattern of images has no file of this name
  if (path.includes("%")) await drawInto(path, drawing, args);
  else await copyFile(await drawnFile(extname(path), drawing, args), path);
  return path;
};

const drawInto = (path: string, drawing: string, args: readonly string[]) =>
  runFfmpeg(firstFfmpeg(), ["-f", "lavfi", "-i", drawing, ...args, "-y", path]);

/** A file in the system's temporary folder, by a hash of everything that decides its content. */
async function drawnFile(extension: string, drawing: string, args: readonly string[]): Promise<string> {
  const { path: ffmpeg } = firstFfmpeg();
  const { size, mtimeMs } = await stat(ffmpeg);
  const hash = Bun.hash(JSON.stringify([extension, drawing, args, ffmpeg, size, mtimeMs])).toString(16);
  const path = join(tmpdir(), `reelwright-test-media-${hash}${extension}`);
  if (await Bun.file(path).exists()) return path;
  // renamed into place, so that no other process reads half of it
  const partial = path.replace(hash, `${hash}-${crypto.randomUUID()}`);
  await drawInto(partial, drawing, args);
  await rename(partial, path);
  return path;
}

export const drawColor = (path: string, color: string, frames: number, rate = "30"): Promise<string> =>
  draw(
    path,
    `color=c=${color}:s=64x36:r=${rate},format=yuv420p,trim=end_frame=${frames}`,
    "-c:v",
    "libx264",
    "-qp",
    "0",
  );

/** A fifth of a second of one gray level, 0..255, as H.264 with all color tags. */
export const drawGray = (path: string, level: number): Promise<string> => {
  const gray = level.toString(16).padStart(2, "0").repeat(3);
  const tags = ["-colorspace", "bt709", "-color_trc", "bt709", "-color_primaries", "bt709"];
  const source = `color=0x${gray}:s=64x36:r=25:d=0.2,scale=out_color_matrix=bt709:out_range=tv,format=yuv420p`;
  return draw(path, source, "-c:v", "libx264", ...tags);
};

/** The red value, 0..255, at the center of an image file. */
export async function redAtCenter(bytes: Uint8Array): Promise<number> {
  const image = await loadImage(Buffer.from(bytes));
  const context = createCanvas(image.width, image.height).getContext("2d");
  context.drawImage(image, 0, 0);
  return context.getImageData(Math.floor(image.width / 2), Math.floor(image.height / 2), 1, 1).data[0]!;
}

/** A video whose frame k shows the number `first + k` in binary, as sixteen black or white blocks. */
export const drawNumbers = (
  path: string,
  { first, frames, rate = "30", filter = "null" }: { first: number; frames: number; rate?: string; filter?: string },
  ...args: readonly string[]
): Promise<string> => {
  const bit = "floor(X/8)+8*floor(Y/18)";
  const drawing = `color=c=black:s=64x36:r=${rate},format=yuv420p,trim=end_frame=${frames}`;
  const numbers = `geq=lum='if(mod(floor((N+${first})/pow(2,${bit})),2),235,16)':cb=128:cr=128`;
  return draw(path, `${drawing},${numbers},${filter}`, "-c:v", "libx264", "-bf", "2", "-g", "25", ...args);
};

export type GrayFrame = { readonly width: number; readonly height: number; readonly levels: Uint8Array };

/** The luma of all frames of a video. */
export const lumaFrames = (ffmpeg: TestFfmpeg, path: string, size = smallCanvas): Promise<readonly GrayFrame[]> =>
  planeFrames(ffmpeg, path, "y", size);

/** One plane of all frames of a video; `size` is that of the plane. */
export async function planeFrames(
  ffmpeg: TestFfmpeg,
  path: string,
  plane: "y" | "u" | "v",
  size: typeof smallCanvas,
): Promise<readonly GrayFrame[]> {
  const rawGray = [...(await everyFrame(ffmpeg)), "-f", "rawvideo", "-pix_fmt", "gray"];
  const bytes = await runFfmpeg(ffmpeg, ["-i", path, "-vf", `extractplanes=${plane}`, ...rawGray, "-"]);
  const frameBytes = size.width * size.height;
  return Array.from({ length: bytes.length / frameBytes }, (_, index) => ({
    ...size,
    levels: bytes.subarray(index * frameBytes, (index + 1) * frameBytes),
  }));
}

export const levelAt = ({ levels, width }: GrayFrame, x: number, y: number): number => levels[y * width + x]!;

/** The number that a frame of `drawNumbers` shows; 0 if it is black. */
export const numberOn = (frame: GrayFrame): number =>
  Array.from({ length: 16 }, (_, bit) => {
    const x = (bit % 8) * 8 + 4;
    const y = Math.floor(bit / 8) * 18 + 9;
    return levelAt(frame, x, y) > 128 ? 2 ** bit : 0;
  }).reduce((sum, value) => sum + value, 0);

/** The sound as interleaved stereo samples at 48 kHz, -1..1. */
export async function soundSamples(ffmpeg: TestFfmpeg, path: string): Promise<Float32Array> {
  const bytes = await runFfmpeg(ffmpeg, ["-i", path, "-map", "0:a:0", "-ac", "2", "-ar", "48000", "-f", "f32le", "-"]);
  return new Float32Array(bytes.slice().buffer);
}

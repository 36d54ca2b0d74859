import { existsSync } from "node:fs";
import { rename } from "node:fs/promises";
import { join } from "node:path";
import { execa } from "execa";

/** A clip as people bring it. */
export type ClipKind = {
  readonly name: string;
  /** A file of the real footage, and the first of its frames. Each frame is shown once, whatever the rates. */
  readonly footage: string;
  readonly firstFrame: number;
  readonly seconds: number;
  /** Frames per second, as ffmpeg reads it. */
  readonly rate: string;
  /** Frames from one keyframe to the next. */
  readonly gop: number;
  readonly isPortrait: boolean;
  /** The color matrix in the file's tags; undefined: untagged. */
  readonly matrix?: "bt709" | "smpte170m";
  readonly hasSound: boolean;
  /** Held in the hand: the picture moves sideways. */
  readonly isMoving: boolean;
};

const phone = { isPortrait: true, hasSound: true, isMoving: true };
const generator = { rate: "24", gop: 192, seconds: 8, hasSound: false, isMoving: true };
const camera = { isPortrait: false, hasSound: true, isMoving: false };
const cars = "car-detection.mp4";
const bottles = "bottle-detection.mp4";
const shapes = "video.mp4";

/** The scenes of the films: a clip's place in this list is its `sceneIndex`. */
export const clipKinds: readonly ClipKind[] = [
  { ...phone, name: "phone", footage: cars, firstFrame: 0, seconds: 6.5, rate: "30000/1001", gop: 30, matrix: "bt709" },
  { ...camera, name: "hd-601", footage: shapes, firstFrame: 0, seconds: 5, rate: "25", gop: 250, matrix: "smpte170m" },
  { ...generator, name: "generator", footage: bottles, firstFrame: 0, isPortrait: true },
  { ...camera, name: "hd-untagged", footage: cars, firstFrame: 195, seconds: 6, rate: "30", gop: 60 },
  { ...phone, name: "phone-60", footage: bottles, firstFrame: 200, seconds: 6, rate: "60", gop: 60, matrix: "bt709" },
  { ...generator, name: "generator-wide", footage: bottles, firstFrame: 600, isPortrait: false, matrix: "bt709" },
  {
    ...phone,
    name: "phone-601",
    footage: bottles,
    firstFrame: 800,
    seconds: 6,
    rate: "30",
    gop: 30,
    matrix: "smpte170m",
  },
];

/** Derives a clip from the real footage in `media`, or draws it if that is undefined. Returns its path. */
export async function makeClip(kind: ClipKind, folder: string, ffmpeg: string, media: string | undefined) {
  const path = join(folder, `${kind.name}.mp4`);
  if (existsSync(path)) return path;
  const sound = kind.hasSound ? ["-f", "lavfi", "-t", `${kind.seconds}`, "-i", "sine=f=330"] : [];
  const maps = ["-map", "0:v", ...(kind.hasSound ? ["-map", "1:a", "-c:a", "aac"] : [])];
  const input = media ? ["-i", join(media, kind.footage)] : ["-f", "lavfi", "-i", drawn(kind)];
  const graph = ["-vf", [...frames(kind), ...look(kind)].join(",")];
  const part = `${path}.part`;
  await execa(ffmpeg, ["-v", "error", "-y", ...input, ...sound, ...maps, ...graph, ...encoding(kind), part]);
  await rename(part, path);
  return path;
}

/** A slow zoom into fine detail, as long as the footage that it stands for. */
const drawn = ({ firstFrame }: ClipKind) =>
  `mandelbrot=s=540x960:rate=30:maxiter=400:start_scale=${0.1 + firstFrame / 10_000}`;

const countOf = ({ seconds, rate }: ClipKind) => {
  const [frames, unit = "1"] = rate.split("/");
  return Math.floor((seconds * Number(frames)) / Number(unit));
};

/** Shows the footage's frames at the clip's rate, so that no frame is a copy of another. */
const frames = (kind: ClipKind) => [
  `trim=start_frame=${kind.firstFrame}:end_frame=${kind.firstFrame + countOf(kind)}`,
  `setpts=N/(${kind.rate})/TB`,
];

/** Fills the frame and adds camera grain. */
function look(kind: ClipKind): readonly string[] {
  const [width, height] = kind.isPortrait ? [1080, 1920] : [1920, 1080];
  const zoomed = `scale=${width * 1.1}:${height * 1.1}:force_original_aspect_ratio=increase:flags=lanczos`;
  const left = kind.isMoving ? `(iw-ow)*(0.2+0.6*n/${countOf(kind)})` : "(iw-ow)/2";
  return [zoomed, `crop=${width}:${height}:${left}:(ih-oh)/2`, "setsar=1", "noise=alls=4:allf=t", "format=yuv420p"];
}

function encoding(kind: ClipKind): readonly string[] {
  const { gop, matrix } = kind;
  const length = ["-r", kind.rate, "-frames:v", `${countOf(kind)}`];
  const rate = ["-b:v", "12M", "-maxrate", "16M", "-bufsize", "24M"];
  const keyframes = ["-g", `${gop}`, "-keyint_min", `${gop}`, "-sc_threshold", "0"];
  const tags = matrix ? ["-colorspace", matrix, "-color_primaries", matrix, "-color_trc", matrix] : [];
  return ["-c:v", "libx264", "-preset", "veryfast", ...length, ...rate, ...keyframes, ...tags, "-f", "mp4"];
}

import type { Image } from "@napi-rs/canvas";
import { sum } from "../../platform/values.ts";
import { openImage } from "../images/image.ts";
import { isAnimated, orientationOf } from "../images/model-image.ts";
import { readMovingImage } from "../images/moving-image.ts";
import { ignoredFeatures, textLayerNames } from "../lottie/features.ts";
import { readLottie } from "../lottie/read.ts";
import type { AnimationFacts, Container } from "../timeline/source.ts";
import type { Canvas } from "../timeline/timeline.ts";
import { damagedImage, unsupportedMedia } from "./file-families.ts";
import { hasSeveralPictures } from "./structure/gif.ts";
import { requireBoundedStructure } from "./structure/image.ts";
import { nextMarker } from "./structure/jpeg.ts";

const maxFileBytes = 100 * 2 ** 20;

type ImageFacts = Canvas & {
  readonly isMoving?: true;
  readonly pictureMilliseconds?: readonly number[];
  readonly durationSeconds?: number;
  readonly animation?: AnimationFacts;
};

/** Reads an image's upright size, and whether it moves. Throws unsupported_media_type if it is too large or damaged. */
export async function inspectImage(path: string, container: Container): Promise<ImageFacts> {
  const file = Bun.file(path);
  if (file.size > maxFileBytes) throw unsupportedMedia("The image file is very large: save it with more compression.");
  const bytes = await file.bytes();
  if (container === "lottie") return await inspectLottie(bytes);
  requireBoundedStructure(bytes, container);
  const { width, height } = await decode(bytes);
  if (!isCompleteImage(bytes, container)) throw damagedImage();
  const isMoving = container === "gif" ? hasSeveralPictures(bytes) : isAnimated(bytes, container);
  return { width, height, ...(isMoving && { isMoving, ...playedFacts(bytes, container, { width, height }) }) };
}

/** Of animations that can be played as they are: upright, and of the size of their first picture. */
function playedFacts(bytes: Uint8Array, container: Container, { width, height }: Canvas): Partial<ImageFacts> {
  const moving = orientationOf(bytes) === 1 ? readMovingImage(bytes, container) : undefined;
  if (!moving || moving.width !== width || moving.height !== height) return {};
  const pictureMilliseconds = moving.parts.map(({ milliseconds }) => milliseconds);
  return { pictureMilliseconds, durationSeconds: sum(pictureMilliseconds) / 1000 };
}

/** CPU time in seconds of a first frame. */
const maxDrawingSeconds = 5;

/** Draws one frame as well: what takes long here takes long in each film. */
async function inspectLottie(bytes: Uint8Array): Promise<ImageFacts> {
  const { lottieStill } = await import("../lottie/draw.ts");
  const lottie = readLottie(bytes);
  const { width, height, frameRate, firstFrame, endFrame } = lottie;
  const before = process.cpuUsage();
  await lottieStill(bytes);
  const { user, system } = process.cpuUsage(before);
  if ((user + system) / 1e6 > maxDrawingSeconds) throw unsupportedMedia("The Lottie animation takes too long to draw.");
  return {
    ...{ width, height, isMoving: true, durationSeconds: (endFrame - firstFrame) / frameRate },
    animation: {
      ...{ frameRate, firstFrame, endFrame },
      textLayers: textLayerNames(lottie),
      ignored: ignoredFeatures(lottie),
    },
  };
}

/** Width and height follow the EXIF orientation only after decoding. */
async function decode(bytes: Uint8Array): Promise<Image> {
  const image = openImage(bytes);
  try {
    await image.decode();
    return image;
  } catch (cause) {
    throw damagedImage(cause);
  }
}

/** False if an image file is truncated: decoders accept half a file and leave the rest black. */
function isCompleteImage(bytes: Uint8Array, container: Container): boolean {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (container === "png") return file.includes("IEND");
  if (container === "webp") return file.readUInt32LE(4) + 8 <= file.length;
  return container !== "jpeg" || hasEndOfImage(file);
}

const markerStart = 0xff;
const startOfScan = 0xda;
const endOfImage = 0xd9;

/** Walks the JPEG segments, because EXIF thumbnails and data that phones append contain end markers too. */
function hasEndOfImage(file: Buffer): boolean {
  let at = 2;
  while (at + 4 <= file.length && file[at] === markerStart) {
    const marker = file[at + 1]!;
    if (marker === endOfImage) return true;
    if (marker === markerStart) at += 1;
    else at += 2 + file.readUInt16BE(at + 2);
    if (marker === startOfScan) at = nextMarker(file, at);
  }
  return file[at] === markerStart && file[at + 1] === endOfImage;
}

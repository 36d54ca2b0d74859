import type { Image, SKRSContext2D } from "@napi-rs/canvas";
import { coverSize, sizeWithin } from "../drawing/box.ts";
import { newCanvas } from "../drawing/new-canvas.ts";
import type { Containment } from "../ports.ts";
import type { DirectImageOptions } from "../sandbox/contract.ts";
import type { MediaFacts } from "../timeline/source.ts";
import type { Canvas } from "../timeline/timeline.ts";
import { decodeUpright, hasTransparency, paintCentered } from "./image.ts";

/** The maximum share of the image that is cropped. */
const maxCropped = 0.25;

/** Wide frames have room for a picture only below their words: shares of the height that all frames show. */
const belowWords = { middle: 0.65, height: 0.7 };

/** Draws an image so that it covers a size, or whole on a ground if too much of it would always be cropped. */
export async function drawDirectImage(
  path: string,
  facts: MediaFacts,
  options: DirectImageOptions,
): Promise<{ readonly pixels: Uint8Array; readonly contained?: Containment | undefined }> {
  const { size, core = { width: 1, height: 1 }, maxShare, maxEnlargement } = options;
  const image = await decodeUpright(path, facts);
  const seen = { width: size.width * core.width, height: size.height * core.height };
  const contained = containmentOf(image, size, seen);
  const context = newCanvas(size.width, size.height).getContext("2d");
  context.imageSmoothingQuality = "high";
  context.fillRect(0, 0, size.width, size.height);
  if (!contained) {
    paintCentered(context, image, coverSize(size, image));
  } else {
    paintGround(context, image, contained, options);
    const height = options.core ? belowWords.height : 1;
    const box = { width: seen.width * maxShare, height: seen.height * maxShare * height };
    const largest = { width: image.width * maxEnlargement, height: image.height * maxEnlargement };
    const shown = sizeWithin(box, image);
    if (options.core) context.translate(0, seen.height * (belowWords.middle - 0.5));
    paintCentered(context, image, shown.width > largest.width ? largest : shown);
  }
  return { pixels: context.canvas.data(), contained };
}

function containmentOf(image: Image, size: Canvas, seen: Canvas): Containment | undefined {
  if (hasTransparency(image)) return "transparency";
  const covering = coverSize(size, image);
  const shown = (seen.width * seen.height) / (covering.width * covering.height);
  return shown < 1 - maxCropped ? "crop" : undefined;
}

/** An image contrasts with its ground from this difference of luma on, of 255. */
const enoughContrast = 60;

function paintGround(
  context: SKRSContext2D,
  image: Image,
  contained: Containment,
  { size, palette }: DirectImageOptions,
) {
  const luma = meanLuma(image);
  const contrastOf = (color: string) => Math.abs(lumaOf(color) - luma);
  const byContrast = palette.toSorted((one, other) => contrastOf(other) - contrastOf(one));
  const color = palette.find((each) => contrastOf(each) >= enoughContrast) ?? byContrast[0];
  context.fillStyle = color ?? (luma < 128 ? "#f2f2f2" : "#1f1f1f");
  context.fillRect(0, 0, size.width, size.height);
  if (color !== undefined) return;
  context.globalAlpha = contained === "transparency" ? 0.25 : 0.75;
  paintBlurred(context, image, size);
  context.globalAlpha = 1;
}

/** The longer side of the copy that is enlarged, in pixels: no detail remains recognizable. */
const blurredSide = 12;

function paintBlurred(context: SKRSContext2D, image: Image, size: Canvas): void {
  const scale = blurredSide / Math.max(size.width, size.height);
  const small = newCanvas(Math.max(2, Math.round(size.width * scale)), Math.max(2, Math.round(size.height * scale)));
  const shrunk = small.getContext("2d");
  shrunk.imageSmoothingQuality = "high";
  paintCentered(shrunk, image, coverSize(small, image));
  context.drawImage(small, 0, 0, size.width, size.height);
}

/** The mean luma of the visible pixels. */
function meanLuma(image: Image): number {
  const context = newCanvas(32, 32).getContext("2d");
  context.drawImage(image, 0, 0, 32, 32);
  const { data } = context.getImageData(0, 0, 32, 32);
  let [sum, weight] = [0, 0];
  for (let at = 0; at < data.length; at += 4) {
    const alpha = data[at + 3]!;
    sum += alpha * luma709(data[at]!, data[at + 1]!, data[at + 2]!);
    weight += alpha;
  }
  return weight > 0 ? sum / weight : 0;
}

const lumaOf = (color: string): number => {
  const channel = (at: number) => Number.parseInt(color.slice(at, at + 2), 16);
  return luma709(channel(1), channel(3), channel(5));
};

const luma709 = (red: number, green: number, blue: number): number => 0.2126 * red + 0.7152 * green + 0.0722 * blue;

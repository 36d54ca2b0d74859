import { type Canvas as Bitmap, type Image, ImageData } from "@napi-rs/canvas";
import { type ImageSource, Renderer, type RenderOptions } from "@takumi-rs/core";
import { invalid } from "../../errors.ts";
import { newCanvas } from "../drawing/new-canvas.ts";
import { type Card, readCard, visit } from "../html/card.ts";
import { resolveLengths } from "../html/lengths.ts";
import { dataPicture } from "../html/pictures.ts";
import { openImage } from "../images/image.ts";
import { requireBoundedStructure } from "../inspect/structure/image.ts";
import type { Canvas } from "../timeline/canvas.ts";
import type { DrawnHtml } from "../timeline/overlay.ts";
import type { Source } from "../timeline/source.ts";
import { drawEmoji, emojiAddress, splitEmoji } from "./emoji.ts";
import { fitWords } from "./fit.ts";
import { registerFonts } from "./fonts.ts";
import { nodeOf } from "./nodes.ts";

export type CardFiles = {
  image(source: Source): Promise<Image>;
  localPathOf(source: Source): Promise<string>;
};

/** A card without its position and its moment. */
type CardContent = Omit<DrawnHtml, "timeMs">;

/** A card has at most this many pixels; a larger one is drawn smaller and enlarged. */
const maxPixels = 35_000_000;

const maxScale = 4;

/** The number of bitmap pixels for one of the card's own, which is drawn `wanted` times as large. */
function scaleFor({ width, height }: CardContent["box"], wanted: number): number {
  const largest = Math.sqrt(maxPixels / Math.max(1, width * height));
  return Math.min(wanted, maxScale, largest);
}

/** Draws a card at moments of its animations. */
export type CardDrawing = {
  /** `spare` is drawn over if it has the card's size. */
  at(timeMs: number, spare?: Bitmap): Promise<Bitmap>;
};

/** Prepares a card once for all frames of a task. It is drawn for a frame in which it is `enlargement` times as large. */
export async function prepareCard(content: CardContent, enlargement: number, files: CardFiles): Promise<CardDrawing> {
  const scale = scaleFor(content.box, enlargement);
  const card = sizedCard(readCard(content), content.box);
  const renderer = new Renderer();
  const fontFamilies = await registerFonts(renderer, { card, fonts: content.fonts, localPathOf: files.localPathOf });
  const width = Math.max(1, Math.round(content.box.width * scale));
  const height = Math.max(1, Math.round(content.box.height * scale));
  const options: RenderOptions = {
    ...{ width, height, devicePixelRatio: scale, fontFamilies },
    ...{ css: [...card.stylesheets], images: await picturesOf(card, content, files) },
  };
  const end = content.fitsText ? Number.MAX_SAFE_INTEGER : 0;
  // measured in the card's own pixels: words shrink alike, however large it is drawn
  const own = {
    width: Math.max(1, Math.round(content.box.width)),
    height: Math.max(1, Math.round(content.box.height)),
  };
  const measured = { ...options, ...own, devicePixelRatio: 1, timeMs: end };
  const shares = content.fitsText ? await fitWords(renderer, card, measured) : new Map();
  const node = nodeOf({ card, shares });
  return {
    async at(timeMs, spare) {
      const pixels = await renderer.render(node, { ...options, timeMs, format: "raw" });
      if (pixels.length !== 4 * width * height) throw invalid("layers", "An HTML layer cannot be drawn at its size.");
      const isAsLarge = spare?.width === width && spare.height === height;
      const canvas = isAsLarge ? spare : newCanvas(width, height);
      const data = new Uint8ClampedArray(pixels.buffer, pixels.byteOffset, pixels.length);
      canvas.getContext("2d").putImageData(new ImageData(data, width, height), 0, 0);
      return canvas;
    },
  };
}

/** A card whose lengths follow its size. */
const sizedCard = (card: Card, size: Canvas): Card => ({
  ...card,
  stylesheets: card.stylesheets.map((css) => resolveLengths(css, size)),
  inlineStyles: new Map(
    [...card.inlineStyles].map(([element, style]) => [
      element,
      Object.fromEntries(Object.entries(style).map(([name, value]) => [name, resolveLengths(value, size)])),
    ]),
  ),
});

/** The pictures that a card shows, by their addresses. */
async function picturesOf(card: Card, { images }: CardContent, files: CardFiles): Promise<ImageSource[]> {
  const pictures = new Map<string, Promise<Uint8Array>>();
  for (const id of card.assetIds) {
    const source = images[id];
    if (source) pictures.set(`asset:${id}`, files.image(source).then(toPng));
  }
  visit(card.body, ({ name, attributes: { src = "" }, children }) => {
    const address = src.trim();
    if (name === "img" && !pictures.has(address)) addDataPicture(pictures, address);
    for (const child of children) {
      if (typeof child !== "string") continue;
      for (const { text, isEmoji } of splitEmoji(child)) if (isEmoji) pictures.set(emojiAddress(text), drawEmoji(text));
    }
  });
  for (const { value } of card.declarations) {
    for (const [, address = ""] of value.matchAll(/url\(\s*["']?(data:[^"')]+)/gi)) addDataPicture(pictures, address);
  }
  return await Promise.all([...pictures].map(async ([src, data]) => ({ src, data: await data })));
}

function addDataPicture(pictures: Map<string, Promise<Uint8Array>>, address: string): void {
  const picture = dataPicture(address);
  if (picture) pictures.set(address, decodedPng(picture));
}

/** Decoded and bounded by the canvas as an uploaded picture is. */
async function decodedPng({ container, base64 }: NonNullable<ReturnType<typeof dataPicture>>): Promise<Uint8Array> {
  const bytes = Buffer.from(base64, "base64");
  try {
    requireBoundedStructure(bytes, container);
    const image = openImage(bytes);
    await image.decode();
    return await toPng(image);
  } catch {
    throw invalid("layers", "A picture in an HTML layer cannot be read.");
  }
}

async function toPng(image: Image): Promise<Uint8Array> {
  const canvas = newCanvas(image.width, image.height);
  canvas.getContext("2d").drawImage(image, 0, 0);
  return await canvas.encode("png");
}

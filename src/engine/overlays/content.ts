import type { Canvas as Bitmap, Image, SKRSContext2D } from "@napi-rs/canvas";
import { captionDrawing } from "../captions/draw.ts";
import { type Box, grow, move, sizeWithin, union } from "../drawing/box.ts";
import type { Drawing } from "../drawing/drawing.ts";
import { newCanvas } from "../drawing/new-canvas.ts";
import { drawShape } from "../drawing/shape.ts";
import type { CardDrawing, CardFiles } from "../html-drawing/draw.ts";
import { decodeUpright, imageDrawing } from "../images/image.ts";
import { bitmapBudget, movingFrames } from "../images/moving-frames.ts";
import { readMovingImage } from "../images/moving-image.ts";
import type { LottieDrawing } from "../lottie/draw.ts";
import { noSize } from "../motion/move-table.ts";
import { unreadableImage } from "../sandbox/failures.ts";
import { resolveTextFonts } from "../text/fonts/fonts.ts";
import { drawText } from "../text/text.ts";
import type { TextDrawing } from "../text/units.ts";
import type {
  DrawnGroup,
  DrawnHtml,
  DrawnImage,
  DrawnLottie,
  DrawnState,
  DrawnVideo,
  Footage,
  ShapeContent,
  TextContent,
} from "../timeline/overlay.ts";
import type { Source } from "../timeline/source.ts";
import type { Canvas } from "../timeline/timeline.ts";
import { poseOfWhole, type SplitMoves } from "./moved.ts";
import { counted, unitsDrawing } from "./moved-text.ts";
import { readFootage } from "./read-footage.ts";

/** Loads files and lays out texts, each once for all frames of a task. */
export type ContentLoader = {
  image(source: Source): Promise<Image>;
  /** The pictures of a moving image by their indexes. */
  pictures(source: Source): Promise<ReturnType<typeof movingFrames>>;
  video(content: DrawnVideo): Promise<Bitmap>;
  text(content: TextContent): Promise<TextDrawing>;
  lottie(content: DrawnLottie, scale: number): Promise<LottieDrawing>;
  /** `scale` enlarges it. The bitmap may change after `free`. */
  html(content: DrawnHtml, scale: number): Promise<{ readonly bitmap: Bitmap; free(): void }>;
  localPathOf(source: Pick<Source, "file">): Promise<string>;
};

export function contentLoader(
  localPathOf: ContentLoader["localPathOf"],
  footage: readonly Omit<Footage, "path">[] = [],
): ContentLoader {
  const images = new Map<string, Promise<Image>>();
  const texts = new Map<string, Promise<TextDrawing>>();
  const once = <Value>(known: Map<string, Promise<Value>>, key: string, load: () => Promise<Value>) => {
    const found = known.get(key) ?? load();
    known.set(key, found);
    return found;
  };
  const layOut = async (content: TextContent) => drawText(content, await resolveTextFonts(content, localPathOf));
  const image = (source: Source) =>
    once(images, source.file, async () => decodeUpright(await localPathOf(source), source.facts));
  const moving = new Map<string, ReturnType<ContentLoader["pictures"]>>();
  const budget = bitmapBudget();
  const lotties = new Map<string, Promise<LottieDrawing>>();
  const htmlAt = htmlDrawer({ image, localPathOf });
  return {
    localPathOf,
    image,
    pictures: (source) =>
      once(moving, source.file, async () => {
        const bytes = await Bun.file(await localPathOf(source)).bytes();
        const image = readMovingImage(bytes, source.facts.container);
        if (!image) throw unreadableImage();
        return movingFrames(image, budget);
      }),
    html: htmlAt,
    lottie: ({ source, colors, texts }, scale) =>
      once(lotties, JSON.stringify([source.file, colors, texts, scale]), async () =>
        (await import("../lottie/draw.ts")).prepareLottie(
          await Bun.file(await localPathOf(source)).bytes(),
          { colors, texts },
          scale,
        ),
      ),
    video: (content) => readFootage(content, footage, localPathOf),
    async text(content) {
      // a text that only moves is laid out once
      const { anchor } = content;
      const atOrigin = { ...content, anchor: { ...anchor, x: 0, y: 0 } };
      const drawing = await once(texts, JSON.stringify(atOrigin), () => layOut(atOrigin));
      return { ...drawing, center: { x: drawing.center.x + anchor.x, y: drawing.center.y + anchor.y } };
    },
  };
}

/** Draws cards, each prepared once. Equal frames in a row are drawn once, and freed bitmaps are drawn over. */
function htmlDrawer(files: CardFiles): ContentLoader["html"] {
  const cards = new Map<string, Promise<CardDrawing>>();
  const spares = new Set<Bitmap>();
  let last: { readonly key: string; readonly bitmap: Promise<Bitmap> } | undefined;
  return async ({ timeMs, box: { width, height }, ...content }, scale) => {
    const sized = { ...content, box: { x: 0, y: 0, width, height } };
    const key = JSON.stringify([sized, scale]);
    // most tasks draw no HTML
    const prepare = async () => (await import("../html-drawing/draw.ts")).prepareCard(sized, scale, files);
    const card = cards.get(key) ?? prepare();
    cards.set(key, card);
    const keyAtTime = `${timeMs} ${key}`;
    if (last?.key !== keyAtTime) {
      const [spare] = spares;
      if (spare) spares.delete(spare);
      last = { key: keyAtTime, bitmap: card.then((each) => each.at(timeMs, spare)) };
    }
    const bitmap = await last.bitmap;
    spares.delete(bitmap);
    return { bitmap, free: () => void spares.add(bitmap) };
  };
}

export type LayerContent = Drawing & {
  /** Must end before `paint`, where it is present: what only one frame shows is drawn for that frame alone. */
  load?(): Promise<void>;
  /** Frees what `load` has drawn. */
  free?(): void;
  /** True if `paint` paints each pixel once and leaves the context's alpha alone: an opacity needs no canvas of its own. */
  readonly paintsOnce?: boolean;
};

/** A layer on one frame, ready to be painted. Coordinates are those of its canvas, or of the group that it lies in. */
export type PreparedLayer = {
  /** Contains every pixel that `paint` may touch. */
  readonly bounds: Box;
  load(): Promise<void>;
  paint(context: SKRSContext2D): void;
  free(): void;
};

export type PrepareLayer = (
  state: DrawnState,
  frame: Canvas,
  loader: ContentLoader,
) => Promise<PreparedLayer | undefined>;

type ContentOptions = {
  readonly moves: SplitMoves;
  readonly frame: Canvas;
  readonly loader: ContentLoader;
  readonly prepare: PrepareLayer;
};

/** What a layer paints, without its transform. Undefined if there is nothing to paint. */
export async function loadContent(state: DrawnState, options: ContentOptions): Promise<LayerContent | undefined> {
  const { content } = state;
  const { moves, frame, loader } = options;
  switch (content.kind) {
    case "image":
      if (content.picture !== undefined) return once(await movingDrawing(content, loader));
      return once(imageDrawing(content, await loader.image(content.source)));
    case "video": {
      const bitmap = await loader.video(content);
      // the bitmap has even sides
      const { width = bitmap.width, height = bitmap.height } = content.source.facts;
      return once(imageDrawing(content, bitmap, { width, height }));
    }
    case "shape": {
      const drawing = drawShape(trimmed(content, moves));
      return content.fill && content.stroke ? drawing : once(drawing);
    }
    case "lottie":
      return once(await lottieDrawing(content, state.view?.scale ?? 1, loader));
    case "html":
      if (content.box.width < 1 || content.box.height < 1) return undefined;
      return once(cardDrawing(content, () => loader.html(content, state.view?.scale ?? 1)));
    case "caption":
      return await captionDrawing(content, frame, loader.localPathOf);
    case "group":
      return await groupDrawing(content, options);
    case "text": {
      if (content.text.trim() === "") return undefined;
      const drawing = counted(await loader.text(content), moves.whole);
      return moves.units.length > 0 ? unitsDrawing(content, drawing, { moves, frame }) : drawing;
    }
  }
}

/** The size of the words of an animation in whole steps: they are drawn once for a layer that grows. */
const textScale = (scale: number): number => 2 ** Math.ceil(Math.log2(Math.max(1, scale)));

async function lottieDrawing(content: DrawnLottie, scale: number, loader: ContentLoader): Promise<Drawing | undefined> {
  const { source, box, fit, frame } = content;
  const own = { width: source.facts.width ?? box.width, height: source.facts.height ?? box.height };
  if (!(box.width > 0 && box.height > 0)) return undefined;
  const covered = sizeWithin(box, own);
  const larger = Math.max(box.width / own.width, box.height / own.height);
  const size =
    fit === "stretch" ? box : fit === "cover" ? { width: own.width * larger, height: own.height * larger } : covered;
  const drawing = await loader.lottie(content, textScale((size.width / own.width) * scale));
  const shown = { width: Math.min(size.width, box.width), height: Math.min(size.height, box.height) };
  const area = { x: -shown.width / 2, y: -shown.height / 2, ...shown };
  return {
    center: { x: box.x + box.width / 2, y: box.y + box.height / 2 },
    box: area,
    bounds: area,
    shadowReach: 0,
    paint(context) {
      context.save();
      context.beginPath();
      context.rect(area.x, area.y, area.width, area.height);
      context.clip();
      context.translate(-size.width / 2, -size.height / 2);
      drawing.paint(context, frame, size);
      context.restore();
    },
  };
}

/** One picture of a moving image, decoded for its frame alone. */
async function movingDrawing(
  { source, picture = 0, ...placed }: DrawnImage,
  loader: ContentLoader,
): Promise<LayerContent | undefined> {
  const pictureAt = await loader.pictures(source);
  const { width = 1, height = 1 } = source.facts;
  let shown: Awaited<ReturnType<typeof pictureAt>> | undefined;
  const drawing = imageDrawing(placed, newCanvas(1, 1), { width, height });
  return (
    drawing && {
      ...drawing,
      async load() {
        shown = await pictureAt(picture);
      },
      paint(context) {
        if (shown) imageDrawing(placed, shown.bitmap)?.paint(context);
      },
      free() {
        shown?.free();
        shown = undefined;
      },
    }
  );
}

/** A card, whose bitmap fills its box. */
function cardDrawing(
  { box: { x, y, width, height } }: DrawnHtml,
  draw: () => ReturnType<ContentLoader["html"]>,
): LayerContent {
  const box = { x: -width / 2, y: -height / 2, width, height };
  let drawn: Awaited<ReturnType<typeof draw>> | undefined;
  return {
    center: { x: x + width / 2, y: y + height / 2 },
    box,
    bounds: box,
    shadowReach: 0,
    async load() {
      drawn = await draw();
    },
    paint(context) {
      context.imageSmoothingQuality = "high";
      if (drawn) context.drawImage(drawn.bitmap, box.x, box.y, width, height);
    },
    free() {
      drawn?.free();
      drawn = undefined;
    },
  };
}

const once = (drawing: LayerContent | undefined): LayerContent | undefined =>
  drawing && { ...drawing, paintsOnce: true };

/** A move that draws the outline shows a part of what the shape itself shows. */
function trimmed(content: ShapeContent, { whole }: SplitMoves): ShapeContent {
  const share = poseOfWhole(whole, noSize).trim;
  if (share === undefined) return content;
  const { start, end, offset } = content.trim ?? { start: 0, end: 1, offset: 0 };
  const isReversed = whole.some(({ reversed }) => reversed);
  const length = (end - start) * share;
  const trim = isReversed ? { start: end - length, end, offset } : { start, end: start + length, offset };
  return { ...content, trim };
}

async function groupDrawing(
  { box, clips, layers }: DrawnGroup,
  { loader, prepare }: ContentOptions,
): Promise<LayerContent | undefined> {
  const size = { width: box.width, height: box.height };
  const prepared: PreparedLayer[] = [];
  for (const layer of layers) {
    const each = await prepare(layer, size, loader);
    if (each) prepared.push(each);
  }
  if (prepared.length === 0) return undefined;
  const own: Box = { x: -box.width / 2, y: -box.height / 2, ...size };
  const painted = union(prepared.map(({ bounds }) => move(bounds, own)));
  return {
    center: { x: box.x + box.width / 2, y: box.y + box.height / 2 },
    box: own,
    bounds: clips ? own : grow(painted, 1),
    shadowReach: 0,
    async load() {
      for (const layer of prepared) await layer.load();
    },
    free() {
      for (const layer of prepared) layer.free();
    },
    paint(context: SKRSContext2D) {
      context.translate(own.x, own.y);
      if (clips) {
        context.beginPath();
        context.rect(0, 0, box.width, box.height);
        context.clip();
      }
      for (const layer of prepared) layer.paint(context);
    },
  };
}

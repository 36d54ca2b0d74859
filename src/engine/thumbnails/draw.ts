import type { SKRSContext2D } from "@napi-rs/canvas";
import type { Drawing } from "../drawing/drawing.ts";
import { newCanvas } from "../drawing/new-canvas.ts";
import { drawImage } from "../images/image.ts";
import { restingState, stateOn } from "../motion/state.ts";
import { contentLoader } from "../overlays/content.ts";
import { prepareLayer } from "../overlays/layer.ts";
import { isPlain } from "../overlays/pieces.ts";
import { resolveFonts } from "../text/fonts/fonts.ts";
import { drawText } from "../text/text.ts";
import type { Box, Overlay } from "../timeline/overlay.ts";
import type { Source } from "../timeline/source.ts";
import { type FrameRange, type FrameRate, isInside } from "../timeline/time.ts";
import type { Canvas } from "../timeline/timeline.ts";
import { animationOf } from "./draw-animation.ts";

type Thumbnail = {
  readonly overlays: readonly Overlay[];
  /** The frame that contains the overlays. */
  readonly canvas: Canvas;
  readonly size: Canvas;
  /** The paths of image and font files, by their key. Others are missing. */
  readonly paths: { readonly [file: string]: string };
  /** The frames of an animation; without them the overlays are drawn at rest. */
  readonly motion?: FrameRange & { readonly rate: FrameRate };
};

/** Draws overlays at rest over a neutral ground, as WebP. Undrawable ones become empty boxes. */
export async function drawThumbnail({ motion, ...thumbnail }: Thumbnail): Promise<Uint8Array> {
  if (motion) return await drawMoving({ ...thumbnail, motion });
  const { overlays, canvas, size, paths } = thumbnail;
  const picture = newCanvas(size.width, size.height);
  const context = picture.getContext("2d");
  paintGround(context, size);
  const scale = { x: size.width / canvas.width, y: size.height / canvas.height };
  for (const overlay of overlays) {
    const layer = newCanvas(size.width, size.height).getContext("2d");
    layer.scale(scale.x, scale.y);
    await paintOverlay(layer, overlay, { paths, canvas });
    // a layer applies its opacity itself
    context.globalAlpha = isPlain(overlay) ? overlay.opacity : 1;
    context.drawImage(layer.canvas, 0, 0);
  }
  return await picture.encode("webp", 80);
}

const movingQuality = 82;

/** Draws the frames of a range. Texts and images without moves or effects are drawn as layers, too. */
async function drawMoving({ overlays, canvas, size, paths, motion }: Thumbnail & Required<Pick<Thumbnail, "motion">>) {
  const loader = contentLoader(async (source) => requirePath(paths, source));
  const frames = Array.from({ length: motion.end - motion.start }, (_, index) => {
    const frame = motion.start + index;
    const visible = overlays.filter(({ range }) => isInside(frame, range));
    // drawn at the size of the picture
    const states = visible.flatMap((overlay) => {
      const state = stateOn(overlay, frame, motion.rate);
      return state ? [{ ...state, view: { scale: size.width / canvas.width, x: 0, y: 0 } }] : [];
    });
    return {
      key: JSON.stringify(states),
      async paint(context: SKRSContext2D) {
        paintGround(context, size);
        for (const state of states) {
          const layer = await prepareLayer(state, size, loader).catch(() => undefined);
          await layer?.load().catch(() => undefined);
          layer?.paint(context);
          layer?.free();
        }
      },
    };
  });
  return await animationOf(frames, { canvas: size, rate: motion.rate.num / motion.rate.den, quality: movingQuality });
}

/** A gradient from light to dark, so that light and dark texts are visible somewhere. */
function paintGround(context: SKRSContext2D, { width, height }: Canvas): void {
  const gradient = context.createLinearGradient(0, 0, width * 0.4, height);
  gradient.addColorStop(0, "#cfd4da");
  gradient.addColorStop(1, "#4a515a");
  context.fillStyle = gradient;
  context.fillRect(0, 0, width, height);
}

type Frame = Pick<Thumbnail, "paths" | "canvas">;

async function paintOverlay(layer: SKRSContext2D, overlay: Overlay, frame: Frame): Promise<void> {
  const { content, rotationDegrees } = overlay;
  // a picture decodes no video
  if (content.kind === "video") return paintEmptyBox(layer, content.box);
  if (!isPlain(overlay)) return await paintLayer(layer, overlay, frame).catch(() => undefined);
  const drawing = await drawingOf(content, frame.paths).catch(() => undefined);
  if (!drawing) {
    if (content.kind === "image") paintEmptyBox(layer, content.box);
    return;
  }
  layer.translate(drawing.center.x, drawing.center.y);
  layer.rotate((rotationDegrees * Math.PI) / 180);
  drawing.paint(layer);
}

const thumbnailRate = { num: 30, den: 1 };

/** A layer with motion or effects is shown at rest. */
async function paintLayer(context: SKRSContext2D, overlay: Overlay, { paths, canvas }: Frame): Promise<void> {
  const state = restingState(overlay, thumbnailRate);
  const loader = contentLoader(async (source) => requirePath(paths, source));
  const prepared = state && (await prepareLayer(state, canvas, loader));
  await prepared?.load();
  prepared?.paint(context);
}

/** A text whose font cannot be used gets the default font. */
async function drawingOf(content: Overlay["content"], paths: Thumbnail["paths"]): Promise<Drawing | undefined> {
  if (content.kind === "image") return await drawImage(content, requirePath(paths, content.source));
  if (content.kind !== "text") return undefined;
  const { text, style } = content;
  const withoutFont = { ...style, font: undefined };
  const fonts = await resolveFonts(text, style, async (font) => requirePath(paths, font)).catch(() =>
    resolveFonts(text, withoutFont, noFont),
  );
  return drawText(content, fonts);
}

function requirePath(paths: Thumbnail["paths"], { file }: Pick<Source, "file">): string {
  const path = Object.hasOwn(paths, file) ? paths[file] : undefined;
  if (path === undefined) throw new Error("The file is missing.");
  return path;
}

const noFont = () => Promise.reject(new Error("The text has no font of its own."));

function paintEmptyBox(context: SKRSContext2D, { x, y, width, height }: Box): void {
  context.beginPath();
  context.roundRect(x, y, width, height, Math.min(width, height) / 12);
  context.fillStyle = "rgba(255, 255, 255, 0.25)";
  context.fill();
  context.strokeStyle = "rgba(255, 255, 255, 0.8)";
  context.lineWidth = Math.min(8, Math.min(width, height) / 20);
  context.stroke();
}

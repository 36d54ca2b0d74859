import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createCanvas, type SKRSContext2D } from "@napi-rs/canvas";
import { bitmapAt, type DrawnOverlay } from "../../compiler/video/overlays.ts";
import type { Overlay } from "../../timeline/overlay.ts";
import type { Source } from "../../timeline/source.ts";
import { type FrameRate, isInside } from "../../timeline/time.ts";
import type { Canvas } from "../../timeline/timeline.ts";
import { type Box, grow, intersect, isEmpty, type Point, snapOutward, union } from "../drawing/box.ts";
import { type Drawing, fitWithin, type PlacedBitmap, renderDrawing } from "../drawing/drawing.ts";
import { drawImage } from "../images/image.ts";
import { resolveFonts } from "../text/fonts/fonts.ts";
import { drawText } from "../text/text.ts";
import { type Motion, motionOf, type Pose, restPose } from "./animation.ts";
import { overlayFingerprint } from "./fingerprint.ts";

type DrawOverlaysOptions = {
  readonly canvas: Canvas;
  readonly rate: FrameRate;
  /** Receives the numbered PNG files. */
  readonly folder: string;
  localPathOf(source: Source): Promise<string>;
  readonly signal?: AbortSignal;
  /** Draws only the bitmaps that these frames show; by default all. */
  readonly frames?: readonly number[];
};

type OverlayBitmaps = Omit<DrawnOverlay, "range">;

/** Draws overlays as bitmaps, in paint order. Equal overlays share their files; invisible ones are left out. */
export async function drawOverlays(
  overlays: readonly Overlay[],
  options: DrawOverlaysOptions,
): Promise<readonly DrawnOverlay[]> {
  const cache = new Map<string, OverlayBitmaps | undefined>();
  const drawn: DrawnOverlay[] = [];
  for (const [index, overlay] of overlays.entries()) {
    options.signal?.throwIfAborted();
    const motion = motionOf(overlay, options.rate, options.canvas.height);
    const numbers = bitmapNumbers(overlay, motion, options.frames);
    if (numbers.length === 0) continue;
    const key = JSON.stringify([overlayFingerprint(overlay, motion), numbers]);
    if (!cache.has(key)) {
      const pathPrefix = join(options.folder, `overlay-${index}`);
      cache.set(key, await drawOverlay(overlay, { motion, numbers, pathPrefix }, options));
    }
    const bitmaps = cache.get(key);
    if (bitmaps) drawn.push({ ...bitmaps, range: overlay.range });
  }
  return drawn;
}

/** The numbers of the bitmaps to draw. */
function bitmapNumbers({ range }: Overlay, motion: Motion, frames?: readonly number[]): readonly number[] {
  const intro = motion.intro.length;
  const outro = motion.outro.length;
  if (!frames) return Array.from({ length: intro + 1 + outro }, (_, index) => index);
  const visibleFrames = frames.filter((frame) => isInside(frame, range));
  return [...new Set(visibleFrames.map((frame) => bitmapAt({ range, intro, outro }, frame)))];
}

type BitmapFiles = { readonly motion: Motion; readonly numbers: readonly number[]; readonly pathPrefix: string };

async function drawOverlay(
  overlay: Overlay,
  { motion: { intro, outro }, numbers, pathPrefix }: BitmapFiles,
  options: DrawOverlaysOptions,
): Promise<OverlayBitmaps | undefined> {
  const drawing = overlay.opacity > 0 ? await createDrawing(overlay, options) : undefined;
  if (!drawing) return undefined;
  const poses = [...intro, restPose, ...outro];
  const placed = renderDrawing(drawing, overlay.rotationDegrees, areaToPaint(drawing, poses, options.canvas));
  if (!placed) return undefined;
  const canvasArea = areaOf(options.canvas);
  const visible = poses.map((pose) => intersect(applyPose(placed.box, pose, drawing.center), canvasArea));
  const box = snapOutward(union(visible), 2);
  if (isEmpty(box)) return undefined;

  const context = createCanvas(box.width, box.height).getContext("2d");
  for (const number of numbers) {
    options.signal?.throwIfAborted();
    const pose = poses[number]!; // safe because bitmaps are numbered like poses
    paintPose(context, placed, { ...pose, alpha: pose.alpha * overlay.opacity }, drawing.center, box);
    await writeFile(`${pathPrefix}-${number}.png`, await context.canvas.encode("png"));
  }
  const pattern = `${pathPrefix.replaceAll("%", "%%")}-%d.png`;
  return { pattern, box, intro: intro.length, outro: outro.length };
}

async function createDrawing(overlay: Overlay, options: DrawOverlaysOptions): Promise<Drawing | undefined> {
  const drawing = await drawContent(overlay.content, options);
  const { within, rotationDegrees } = overlay;
  return drawing && within ? fitWithin(drawing, rotationDegrees, within) : drawing;
}

async function drawContent(content: Overlay["content"], { localPathOf }: DrawOverlaysOptions) {
  if (content.kind === "image") return await drawImage(content, await localPathOf(content.source));
  if (content.text.trim() === "") return undefined;
  return drawText(content, await resolveFonts(content.text, content.style, localPathOf));
}

const areaOf = ({ width, height }: Canvas): Box => ({ x: 0, y: 0, width, height });

/** In pixels: larger shadows are too faint to justify their memory. */
const maxShadowReach = 256;

/** The part of a drawing that is visible or casts a visible shadow in any pose, at most half a canvas off-screen. */
function areaToPaint({ center, shadowReach }: Drawing, poses: readonly Pose[], canvas: Canvas): Box {
  const canvasArea = areaOf(canvas);
  const visible = union(poses.map((pose) => invertPose(canvasArea, pose, center)));
  const largest = grow(canvasArea, Math.max(canvas.width, canvas.height) / 2);
  return intersect(grow(visible, Math.min(shadowReach, maxShadowReach)), largest);
}

/** Transforms a box by a pose. The formula leaves it bit-identical at rest. */
const applyPose = (box: Box, { scale, offsetY }: Pose, center: Point): Box => ({
  x: box.x * scale + center.x * (1 - scale),
  y: box.y * scale + center.y * (1 - scale) + offsetY,
  width: box.width * scale,
  height: box.height * scale,
});

/** The box that a pose transforms to `box`. */
const invertPose = (box: Box, { scale, offsetY }: Pose, center: Point): Box =>
  applyPose({ ...box, y: box.y - offsetY }, { alpha: 1, scale: 1 / scale, offsetY: 0 }, center);

function paintPose(context: SKRSContext2D, { bitmap, box }: PlacedBitmap, pose: Pose, center: Point, frame: Box): void {
  const { x, y, width, height } = applyPose(box, pose, center);
  context.clearRect(0, 0, frame.width, frame.height);
  context.globalAlpha = pose.alpha;
  context.imageSmoothingQuality = "high";
  context.drawImage(bitmap, x - frame.x, y - frame.y, width, height);
}

import { writeFile } from "node:fs/promises";
import type { SKRSContext2D } from "@napi-rs/canvas";
import { drawCaption } from "../captions/draw.ts";
import { type Box, grow, intersect, isEmpty, type Point, snapOutward, union } from "../drawing/box.ts";
import { type Drawing, fitWithin, type PlacedBitmap, renderDrawing } from "../drawing/drawing.ts";
import { newCanvas } from "../drawing/new-canvas.ts";
import { drawImage } from "../images/image.ts";
import { resolveTextFonts } from "../text/fonts/fonts.ts";
import { drawText } from "../text/text.ts";
import type { ImageContent, Overlay, TextContent } from "../timeline/overlay.ts";
import type { Source } from "../timeline/source.ts";
import type { FrameRate } from "../timeline/time.ts";
import type { Canvas } from "../timeline/timeline.ts";
import { motionOf, type Pose, restPose } from "./animation.ts";
import { bitmapPath, type OverlayLayout } from "./files.ts";

type DrawOptions = {
  readonly canvas: Canvas;
  readonly rate: FrameRate;
  /** The bitmaps to draw, numbered like the poses or states. */
  readonly numbers: readonly number[];
  /** The prefix of the files' paths: see `bitmapPath`. */
  readonly pathPrefix: string;
  localPathOf(source: Source): Promise<string>;
};

/** Draws bitmaps of an overlay as files. Undefined if none of it is visible. */
export async function drawOverlay(overlay: Overlay, options: DrawOptions): Promise<OverlayLayout | undefined> {
  const { content } = overlay;
  const pathOf = (number: number) => bitmapPath(options.pathPrefix, number, content);
  if (content.kind === "caption") return await drawCaption(content, { ...options, pathOf });
  if (content.kind !== "text" && content.kind !== "image") return undefined;
  return await drawStill({ ...overlay, content }, { ...options, pathOf });
}

type Still = Overlay & { readonly content: TextContent | ImageContent };

type StillOptions = DrawOptions & { pathOf(number: number): string };

async function drawStill(overlay: Still, options: StillOptions): Promise<OverlayLayout | undefined> {
  const { canvas, rate, numbers, pathOf } = options;
  const { intro, outro } = motionOf(overlay, rate, canvas.height);
  const drawing = overlay.opacity > 0 ? await createDrawing(overlay, options) : undefined;
  if (!drawing) return undefined;
  const poses = [...intro, restPose, ...outro];
  const placed = renderDrawing(drawing, overlay.rotationDegrees, areaToPaint(drawing, poses, canvas));
  if (!placed) return undefined;
  const canvasArea = areaOf(canvas);
  const visible = poses.map((pose) => intersect(applyPose(placed.box, pose, drawing.center), canvasArea));
  const box = snapOutward(union(visible), 2);
  if (isEmpty(box)) return undefined;

  const context = newCanvas(box.width, box.height).getContext("2d");
  for (const number of numbers) {
    const pose = poses[number]!; // safe because bitmaps are numbered like poses
    paintPose(context, placed, { ...pose, alpha: pose.alpha * overlay.opacity }, drawing.center, box);
    await writeFile(pathOf(number), await context.canvas.encode("png"));
  }
  return { box };
}

async function createDrawing(overlay: Still, options: DrawOptions): Promise<Drawing | undefined> {
  const drawing = await drawContent(overlay.content, options);
  const { within, rotationDegrees } = overlay;
  return drawing && within ? fitWithin(drawing, rotationDegrees, within) : drawing;
}

async function drawContent(content: Still["content"], { localPathOf }: DrawOptions) {
  if (content.kind === "image") return await drawImage(content, await localPathOf(content.source));
  if (content.text.trim() === "") return undefined;
  return drawText(content, await resolveTextFonts(content, localPathOf));
}

const areaOf = ({ width, height }: Canvas): Box => ({ x: 0, y: 0, width, height });

/** The limit in pixels: larger shadows are too faint to justify their memory. */
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

const invertPose = (box: Box, { scale, offsetY }: Pose, center: Point): Box =>
  applyPose({ ...box, y: box.y - offsetY }, { alpha: 1, scale: 1 / scale, offsetY: 0 }, center);

function paintPose(context: SKRSContext2D, { bitmap, box }: PlacedBitmap, pose: Pose, center: Point, frame: Box): void {
  const { x, y, width, height } = applyPose(box, pose, center);
  context.clearRect(0, 0, frame.width, frame.height);
  context.globalAlpha = pose.alpha;
  context.imageSmoothingQuality = "high";
  context.drawImage(bitmap, x - frame.x, y - frame.y, width, height);
}

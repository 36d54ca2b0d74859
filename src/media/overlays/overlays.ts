import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createCanvas, type SKRSContext2D } from "@napi-rs/canvas";
import { type DrawnOverlay, pictureAt } from "../../compiler/picture/layers.ts";
import type { Overlay } from "../../timeline/overlay.ts";
import type { Source } from "../../timeline/source.ts";
import { type FrameRate, isInside } from "../../timeline/time.ts";
import type { Canvas } from "../../timeline/timeline.ts";
import { type Box, grow, intersect, isEmpty, outset, type Point, union } from "../drawing/box.ts";
import { type Drawing, keptWithin, type PlacedBitmap, paintDrawing } from "../drawing/drawing.ts";
import { drawImage } from "../images/image.ts";
import { fontsFor } from "../text/fonts/fonts.ts";
import { drawText } from "../text/text.ts";
import { type Motion, motionOf, type Pose, rest } from "./animation.ts";

export type DrawingOptions = {
  readonly canvas: Canvas;
  readonly rate: FrameRate;
  /** Takes the numbered PNG files. */
  readonly folder: string;
  /** Answers a local path. */
  openFile(source: Source): Promise<string>;
  readonly signal?: AbortSignal;
  /** Only what these frames show is drawn. */
  readonly frames?: readonly number[];
};

type DrawnPictures = Omit<DrawnOverlay, "range">;

/** Draws overlays as bitmaps, in paint order. Those that would show nothing are left out. */
export async function drawOverlays(
  overlays: readonly Overlay[],
  options: DrawingOptions,
): Promise<readonly DrawnOverlay[]> {
  const known = new Map<string, DrawnPictures | undefined>();
  const drawn: DrawnOverlay[] = [];
  for (const [index, overlay] of overlays.entries()) {
    options.signal?.throwIfAborted();
    const motion = motionOf(overlay, options.rate, options.canvas.height);
    const wanted = picturesWanted(overlay, motion, options.frames);
    if (wanted.length === 0) continue;
    const looks = JSON.stringify([looksOf(overlay, motion), wanted]);
    if (!known.has(looks)) {
      const pathStart = join(options.folder, `overlay-${index}`);
      known.set(looks, await drawOverlay(overlay, { motion, wanted, pathStart }, options));
    }
    const pictures = known.get(looks);
    if (pictures) drawn.push({ ...pictures, range: overlay.range });
  }
  return drawn;
}

/** All that decides what an overlay's pictures look like, on one canvas. */
const looksOf = ({ picture, opacity, rotationDegrees, within }: Overlay, motion: Motion) =>
  JSON.stringify([picture, opacity, rotationDegrees, within, motion]);

/** Overlays as they will be drawn, but not where: each goes by its looks, so that nothing has to be drawn to name them. */
export const sketchOverlays = (
  overlays: readonly Overlay[],
  { canvas, rate }: Pick<DrawingOptions, "canvas" | "rate">,
): readonly DrawnOverlay[] =>
  overlays.map((overlay) => {
    const motion = motionOf(overlay, rate, canvas.height);
    const hash = createHash("sha256").update(looksOf(overlay, motion)).digest("hex");
    const box = { x: 0, y: 0, ...canvas };
    return { pattern: hash, hash, box, range: overlay.range, intro: motion.intro.length, outro: motion.outro.length };
  });

/** The numbers of the pictures that are to be drawn. */
function picturesWanted({ range }: Overlay, motion: Motion, frames?: readonly number[]): readonly number[] {
  const [intro, outro] = [motion.intro.length, motion.outro.length];
  if (!frames) return Array.from({ length: intro + 1 + outro }, (_, index) => index);
  const seen = frames.filter((frame) => isInside(frame, range));
  return [...new Set(seen.map((frame) => pictureAt({ range, intro, outro }, frame)))];
}

type Wanted = { readonly motion: Motion; readonly wanted: readonly number[]; readonly pathStart: string };

async function drawOverlay(
  overlay: Overlay,
  { motion: { intro, outro }, wanted, pathStart }: Wanted,
  options: DrawingOptions,
): Promise<DrawnPictures | undefined> {
  const drawing = overlay.opacity > 0 ? await drawingOf(overlay, options) : undefined;
  if (!drawing) return undefined;
  const poses = [...intro, rest, ...outro];
  const placed = paintDrawing(drawing, overlay.rotationDegrees, neededArea(drawing, poses, options.canvas));
  if (!placed) return undefined;
  const seen = poses.map((pose) => intersect(posed(placed.box, pose, drawing.center), areaOf(options.canvas)));
  const box = outset(union(seen), 2);
  if (isEmpty(box)) return undefined;

  const context = createCanvas(box.width, box.height).getContext("2d");
  const hash = createHash("sha256");
  for (const index of wanted) {
    options.signal?.throwIfAborted();
    const pose = poses[index]!; // safe because pictures are counted over the same poses
    paintPose(context, placed, { ...pose, alpha: pose.alpha * overlay.opacity }, drawing.center, box);
    const picture = await context.canvas.encode("png");
    hash.update(picture);
    await writeFile(`${pathStart}-${index}.png`, picture);
  }
  const pattern = `${pathStart.replaceAll("%", "%%")}-%d.png`;
  return { pattern, hash: hash.digest("hex"), box, intro: intro.length, outro: outro.length };
}

async function drawingOf(overlay: Overlay, options: DrawingOptions): Promise<Drawing | undefined> {
  const drawing = await pictureOf(overlay, options);
  const { within, rotationDegrees } = overlay;
  return drawing && within ? keptWithin(drawing, rotationDegrees, within) : drawing;
}

async function pictureOf({ picture }: Overlay, { openFile }: DrawingOptions): Promise<Drawing | undefined> {
  if (picture.kind === "image") return drawImage(picture, await openFile(picture.source));
  if (picture.text.trim() === "") return undefined;
  return drawText(picture, await fontsFor(picture.text, picture.style, openFile));
}

const areaOf = ({ width, height }: Canvas): Box => ({ x: 0, y: 0, width, height });

/** In pixels: farther shadows are too faint to be worth the memory. */
const maxReach = 256;

/** What comes into sight at any time, and what casts a shadow into it; never much more than the canvas. */
function neededArea({ center, reach }: Drawing, poses: readonly Pose[], canvas: Canvas): Box {
  const area = areaOf(canvas);
  const seen = union(poses.map((pose) => unposed(area, pose, center)));
  const most = grow(area, Math.max(canvas.width, canvas.height) / 2);
  return intersect(grow(seen, Math.min(reach, maxReach)), most);
}

/** Where a pose puts a box; exactly where it was when the pose is at rest. */
const posed = (box: Box, { scale, offsetY }: Pose, center: Point): Box => ({
  x: box.x * scale + center.x * (1 - scale),
  y: box.y * scale + center.y * (1 - scale) + offsetY,
  width: box.width * scale,
  height: box.height * scale,
});

/** The box that a pose puts there. */
const unposed = (box: Box, { scale, offsetY }: Pose, center: Point): Box =>
  posed({ ...box, y: box.y - offsetY }, { alpha: 1, scale: 1 / scale, offsetY: 0 }, center);

function paintPose(context: SKRSContext2D, { bitmap, box }: PlacedBitmap, pose: Pose, center: Point, frame: Box): void {
  const { x, y, width, height } = posed(box, pose, center);
  context.clearRect(0, 0, frame.width, frame.height);
  context.globalAlpha = pose.alpha;
  context.imageSmoothingQuality = "high";
  context.drawImage(bitmap, x - frame.x, y - frame.y, width, height);
}

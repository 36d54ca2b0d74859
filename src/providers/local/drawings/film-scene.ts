import { writeFile } from "node:fs/promises";
import type { SKRSContext2D } from "@napi-rs/canvas";
import type { SceneDesign } from "../../../domain/ai/scene-design.ts";
import { newCanvas } from "../../../engine/drawing/new-canvas.ts";
import type { Canvas } from "../../../engine/timeline/timeline.ts";
import { type Color, parseColor } from "../../../platform/colors.ts";
import { black, type ColorScheme, lighten, mix, toCss } from "./color-schemes.ts";
import { paintGrain } from "./grain.ts";
import { drawings } from "./props.ts";
import { type DrawnPart, loopFrames, partPath, type SceneFrame, type SceneLayers } from "./scene-frame.ts";
import { shapeScene } from "./scene-shapes.ts";
import { productScene } from "./scene-stages.ts";

/** A low frame has no room for a product below the words of the end. */
function layersOf(frame: SceneFrame): SceneLayers {
  const { object, place } = frame.design;
  return object && (place !== "end" || frame.isTall) ? productScene(frame) : shapeScene(frame);
}

/** Draws the scene as PNG. */
export async function drawSceneImage(size: Canvas, design: SceneDesign): Promise<Uint8Array> {
  const canvas = drawGround(size, design);
  const frame = frameOf(canvas.getContext("2d"), size, design);
  for (const { paint } of layersOf(frame).parts) paint(frame, 0);
  return await canvas.encode("png");
}

type LayerFiles = { readonly output: string; readonly pathPrefix: string; readonly groundSize: Canvas };

/** Writes the ground as opaque RGBA pixels, and the pixels of the parts to files with the prefix: see `partPath`. */
export async function drawSceneLayers(
  size: Canvas,
  design: SceneDesign,
  { output, pathPrefix, groundSize }: LayerFiles,
): Promise<readonly DrawnPart[]> {
  await writeFile(output, drawGround(groundSize, design).data());
  const drawn: DrawnPart[] = [];
  // safe because nothing is painted with this context
  const { parts } = layersOf(frameOf(undefined as never, size, design));
  for (const [index, { box, paint, motion, isLoop }] of parts.entries()) {
    const place = { x: Math.floor(box.x), y: Math.floor(box.y) };
    // even, because videos need even sides
    const [width, height] = [box.width, box.height].map((side) => 2 * Math.ceil((side + 1) / 2)) as [number, number];
    const frames = isLoop ? loopFrames : 1;
    const pictures = Array.from({ length: frames }, (_, at) => {
      const context = newCanvas(width, height).getContext("2d");
      context.translate(-place.x, -place.y);
      paint(frameOf(context, size, design), at / frames);
      // not multiplied by alpha, as overlays require
      return Buffer.from(context.getImageData(0, 0, width, height).data.buffer);
    });
    await writeFile(partPath(pathPrefix, index), Buffer.concat(pictures));
    drawn.push({ box: { ...place, width, height }, frames, motion });
  }
  return drawn;
}

function drawGround(size: Canvas, design: SceneDesign) {
  const canvas = newCanvas(size.width, size.height);
  const context = canvas.getContext("2d");
  const frame = frameOf(context, size, design);
  const { scheme } = frame;
  const gradient = context.createLinearGradient(0, 0, 0, size.height);
  gradient.addColorStop(0, toCss(lighten(scheme.sky, 0.015)));
  gradient.addColorStop(1, toCss(lighten(scheme.sky, -0.03)));
  context.fillStyle = gradient;
  context.fillRect(0, 0, size.width, size.height);
  layersOf(frame).paintGround(frame);
  paintGrain(context);
  return canvas;
}

function frameOf(context: SKRSContext2D, size: Canvas, design: SceneDesign): SceneFrame {
  const { width, height } = size;
  const core = { width: width * design.core.width, height: height * design.core.height };
  const isTall = core.height > core.width * 1.3;
  const bottom = (height + core.height) / 2;
  const unit = Math.min(core.width, core.height);
  const floor = isTall ? bottom - 0.23 * core.height : bottom - 0.1 * core.height;
  const wing = wingOf(size, core, design);
  return {
    ...{ context, design, bottom, isTall, ...(wing && { wing }) },
    axis: width * design.axis,
    rise: unit * (isTall ? 0.6 : 0.25),
    layout: { width, height, unit, floor, caption: { x: 0, y: 0, width, height } },
    scheme: schemeOf(design),
    random: () => 0.5,
    prop: drawings[design.object ?? "cup"],
  };
}

/** The share of the width that words take in a film that is wide in all its formats. */
const wordShare = 0.64;

/** The area beside the part that all targets show, or else beside the words. */
function wingOf({ width, height }: Canvas, core: Canvas, { begins }: SceneDesign): SceneFrame["wing"] {
  if (width < 1.2 * core.height) return undefined;
  const near = core.width < 0.9 * width ? (width + core.width) / 2 : width * wordShare;
  const [top, bottom] = [(height - core.height) / 2, (height + core.height) / 2];
  return begins === "left" ? { near, far: width, top, bottom } : { near: width - near, far: 0, top, bottom };
}

const colorOf = (hex: string): Color => parseColor(hex) ?? black;

function schemeOf({ ground, accent, second, dark, light }: SceneDesign): ColorScheme {
  const [sky, first, other] = [colorOf(ground), colorOf(accent), colorOf(second)];
  return { sky, floor: sky, tones: [first, other, mix(sky, first, 0.4)], dark: colorOf(dark), light: colorOf(light) };
}

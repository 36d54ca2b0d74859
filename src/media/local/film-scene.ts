import type { SKRSContext2D } from "@napi-rs/canvas";
import type { SceneDesign } from "../../domain/ai/scene-design.ts";
import { parseColor } from "../../domain/shared/colors.ts";
import type { Color } from "../../timeline/overlay.ts";
import type { Canvas } from "../../timeline/timeline.ts";
import { newCanvas } from "../drawing/new-canvas.ts";
import { fillLit, paintDisc } from "./backdrop.ts";
import { black, type ColorScheme, lighten, mix, toCss } from "./color-schemes.ts";
import { paintGrain } from "./grain.ts";
import { drawings, paintProp } from "./props.ts";
import type { SceneFrame } from "./scene-frame.ts";
import { paintAccents, paintGroundShapes } from "./scene-shapes.ts";

/** The ground, opaque, or what moves over it. At rest both make the scene's image. */
export function drawSceneLayer(layer: "back" | "front", size: Canvas, design: SceneDesign) {
  const canvas = newCanvas(size.width, size.height);
  const frame = frameOf(canvas.getContext("2d"), size, design);
  if (layer === "back") paintBack(frame);
  else paintFront(frame);
  return canvas;
}

/** As PNG. */
export async function drawSceneImage(size: Canvas, design: SceneDesign): Promise<Uint8Array> {
  const canvas = drawSceneLayer("back", size, design);
  canvas.getContext("2d").drawImage(drawSceneLayer("front", size, design), 0, 0);
  return await canvas.encode("png");
}

function frameOf(context: SKRSContext2D, size: Canvas, design: SceneDesign): SceneFrame {
  const { width, height } = size;
  const core = { width: width * design.core.width, height: height * design.core.height };
  const isTall = core.height > core.width * 1.3;
  const bottom = (height + core.height) / 2;
  const unit = Math.min(core.width, core.height);
  const floor = isTall ? bottom - 0.27 * core.height : bottom - 0.1 * core.height;
  return {
    ...{ context, design, bottom, isTall },
    axis: width * design.axis,
    layout: { width, height, unit, floor, caption: { x: 0, y: 0, width, height } },
    scheme: schemeOf(design),
    random: () => 0.5,
    prop: drawings[design.object ?? "cup"],
  };
}

const colorOf = (hex: string): Color => parseColor(hex) ?? black;

function schemeOf({ ground, accent, second, dark, light }: SceneDesign): ColorScheme {
  const [sky, first, other] = [colorOf(ground), colorOf(accent), colorOf(second)];
  return { sky, floor: sky, tones: [first, other, mix(sky, first, 0.4)], dark: colorOf(dark), light: colorOf(light) };
}

function paintBack(frame: SceneFrame): void {
  const { context, layout, scheme, design } = frame;
  const gradient = context.createLinearGradient(0, 0, 0, layout.height);
  gradient.addColorStop(0, toCss(lighten(scheme.sky, 0.015)));
  gradient.addColorStop(1, toCss(lighten(scheme.sky, -0.03)));
  context.fillStyle = gradient;
  context.fillRect(0, 0, layout.width, layout.height);
  if (design.object) paintStage(frame);
  else paintGroundShapes(frame);
  paintGrain(context);
}

function paintFront(frame: SceneFrame): void {
  if (frame.design.object) paintProduct(frame);
  else paintAccents(frame);
}

function paintProduct(frame: SceneFrame): void {
  const { layout, axis, scheme, isTall } = frame;
  const height = layout.unit * (isTall ? 0.6 : 0.46);
  paintProp(frame, { x: axis, foot: layout.floor - layout.unit * plinth.height, height }, scheme.tones[0]);
}

/** In shares of the unit. */
const plinth = { half: 0.25, height: 0.05, depth: 0.045 };

/** Rings on the floor, a shape behind the product, and what it stands on. */
function paintStage(frame: SceneFrame): void {
  const { context, layout, scheme, axis, design, isTall } = frame;
  const { unit, floor } = layout;
  const rings = 7;
  for (let ring = rings; ring >= 1; ring--) {
    const half = unit * (0.2 + 0.19 * ring);
    context.beginPath();
    context.ellipse(axis, floor, half, half * 0.27, 0, 0, 2 * Math.PI);
    context.fillStyle = toCss(mix(scheme.sky, scheme.tones[0], 0.035 * (rings + 1 - ring)));
    context.fill();
  }
  const radius = unit * (isTall ? 0.36 : 0.26);
  const disc = { x: axis, y: floor - unit * (isTall ? 0.34 : 0.25), radius };
  if (design.variant % 2 === 0) paintDisc(frame, disc, scheme.tones[0], 0.12);
  else paintArch(frame, { ...disc, foot: floor });
  const { half, height, depth } = {
    half: plinth.half * unit,
    height: plinth.height * unit,
    depth: plinth.depth * unit,
  };
  const color = scheme.tones[1];
  context.beginPath();
  context.ellipse(axis, floor, half, depth, 0, 0, Math.PI);
  context.lineTo(axis - half, floor - height);
  context.lineTo(axis + half, floor - height);
  context.closePath();
  fillLit(frame, lighten(color, -0.06), { top: floor - height, bottom: floor + depth }, 0.25);
  context.beginPath();
  context.ellipse(axis, floor - height, half, depth, 0, 0, 2 * Math.PI);
  context.fillStyle = toCss(lighten(color, 0.05));
  context.fill();
}

type Arch = { readonly x: number; readonly y: number; readonly radius: number; readonly foot: number };

function paintArch(frame: SceneFrame, { x, y, radius, foot }: Arch): void {
  const { context, scheme } = frame;
  context.beginPath();
  context.moveTo(x - radius, foot);
  context.arc(x, y, radius, Math.PI, 2 * Math.PI);
  context.lineTo(x + radius, foot);
  context.closePath();
  fillLit(frame, scheme.tones[0], { top: y - radius, bottom: foot }, 0.12);
}

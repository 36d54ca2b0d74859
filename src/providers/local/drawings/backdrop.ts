import type { SKRSContext2D } from "@napi-rs/canvas";
import type { Color } from "../../../platform/colors.ts";
import { type ColorScheme, lighten, mix, toCss } from "./color-schemes.ts";
import type { FrameLayout } from "./layout.ts";

/** The position of a prop: the middle of its foot, and its height. */
export type Stand = { readonly x: number; readonly foot: number; readonly height: number };

/** Draws the product. */
export type Prop = (frame: StoryboardFrame, stand: Stand, colors: PropColors) => void;

export type PropColors = { readonly body: Color; readonly accent: Color };

export type StoryboardFrame = {
  readonly context: SKRSContext2D;
  readonly layout: FrameLayout;
  readonly scheme: ColorScheme;
  /** The next number in 0..1. The order of the calls decides the pixels. */
  readonly random: () => number;
  /** Draws the product. */
  readonly prop: Prop;
};

export function paintSky({ context, layout, scheme }: StoryboardFrame): void {
  const gradient = context.createLinearGradient(0, 0, 0, layout.floor);
  gradient.addColorStop(0, toCss(lighten(scheme.sky, -0.045)));
  gradient.addColorStop(1, toCss(lighten(mix(scheme.sky, scheme.tones[0], 0.16), 0.05)));
  context.fillStyle = gradient;
  context.fillRect(0, 0, layout.width, layout.height);
}

export function paintFloor(frame: StoryboardFrame): void {
  const { context, layout, scheme } = frame;
  const { width, height, floor } = layout;
  const gradient = context.createLinearGradient(0, floor, 0, height);
  gradient.addColorStop(0, toCss(lighten(scheme.floor, 0.025)));
  gradient.addColorStop(1, toCss(lighten(scheme.floor, -0.055)));
  context.fillStyle = gradient;
  context.fillRect(0, floor, width, height - floor);
  paintReflection(frame);
}

/** A faint glow of the main tone on the floor, just below the horizon. */
function paintReflection({ context, layout, scheme }: StoryboardFrame): void {
  const { width, height, floor } = layout;
  const radius = (height - floor) * 0.55;
  const glow = context.createRadialGradient(0, 0, 0, 0, 0, radius);
  glow.addColorStop(0, toCss(mix(scheme.floor, scheme.tones[0], 0.5), 0.55));
  glow.addColorStop(1, toCss(scheme.floor, 0));
  context.save();
  context.beginPath();
  context.rect(0, floor, width, height - floor);
  context.clip();
  context.translate(width / 2, floor);
  context.scale(Math.max(1, (width / radius) * 0.62), 0.3);
  context.fillStyle = glow;
  context.fillRect(-width, 0, 2 * width, height);
  context.restore();
}

/** The top and the bottom of a shape, in pixels. */
type VerticalRange = { readonly top: number; readonly bottom: number };

/** Fills the current path as lit from above, with a soft shadow of the given opacity. */
export function fillLit(
  { context, layout }: StoryboardFrame,
  color: Color,
  { top, bottom }: VerticalRange,
  shadowOpacity = 0.22,
): void {
  const gradient = context.createLinearGradient(0, top, 0, bottom);
  gradient.addColorStop(0, toCss(lighten(color, 0.05)));
  gradient.addColorStop(1, toCss(lighten(color, -0.06)));
  context.save();
  context.shadowColor = `rgba(0, 0, 0, ${shadowOpacity})`;
  context.shadowBlur = layout.unit * 0.05;
  context.shadowOffsetY = layout.unit * 0.012;
  context.fillStyle = gradient;
  context.fill();
  context.restore();
}

export type Circle = { readonly x: number; readonly y: number; readonly radius: number };

export function paintDisc(
  frame: StoryboardFrame,
  { x, y, radius }: Circle,
  color: Color,
  shadowOpacity?: number,
): void {
  frame.context.beginPath();
  frame.context.arc(x, y, radius, 0, 2 * Math.PI);
  fillLit(frame, color, { top: y - radius, bottom: y + radius }, shadowOpacity);
}

/** Rings around a disc; the inner ones are stronger. */
export function paintHalo({ context, scheme }: StoryboardFrame, { x, y, radius }: Circle): void {
  for (const [index, growth] of [1.75, 1.4, 1.15].entries()) {
    context.beginPath();
    context.arc(x, y, radius * growth, 0, 2 * Math.PI);
    context.fillStyle = toCss(lighten(mix(scheme.sky, scheme.tones[0], 0.1 + 0.09 * index), 0.02), 0.75);
    context.fill();
  }
}

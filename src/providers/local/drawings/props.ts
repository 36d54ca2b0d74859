import type { Color } from "../../../platform/colors.ts";
import { fillLit, type Prop, type PropColors, type Stand, type StoryboardFrame } from "./backdrop.ts";
import { type ColorScheme, contrast, lighten, mix, toCss } from "./color-schemes.ts";

/** Draws the frame's prop before `background`. */
export function paintProp(frame: StoryboardFrame, stand: Stand, background: Color): void {
  frame.prop(frame, stand, { body: bodyColor(frame.scheme, background), accent: frame.scheme.tones[0] });
}

/** The scheme's color with contrast to the background and to the floor. */
function bodyColor({ light, dark, floor }: ColorScheme, background: Color): Color {
  const worstContrast = (color: Color) => Math.min(contrast(color, background), contrast(color, floor));
  return worstContrast(dark) > worstContrast(light) ? lighten(dark, 0.06) : light;
}

/** The first prop that the prompt names; the last one if it names none. */
const props: readonly { readonly words: RegExp; readonly paint: Prop }[] = [
  { words: /\b(coffee|espresso|cappuccino|latte|tea|cocoa|cup|mug)s?\b/i, paint: paintCup },
  {
    words: /\b(serum|cream|shampoo|perfume|juice|beer|wine|lemonade|soda|bottle)s?\b/i,
    paint: paintBottle,
  },
  { words: /\b(app|phone|smartphone|software|dashboard|platform|tablet|course)s?\b/i, paint: paintPhone },
  { words: /^/, paint: paintBox },
];

// safe because the last one matches every text
export const propOf = (prompt: string): Prop => props.find(({ words }) => words.test(prompt))!.paint;

function paintCupBody(frame: StoryboardFrame, { x, foot, height }: Stand, { body, accent }: PropColors): void {
  const { context } = frame;
  const top = foot - height * (1 - steamShare);
  const half = height * 0.36;
  const waist = half * 0.66;
  context.save();
  context.strokeStyle = toCss(lighten(body, -0.04));
  context.lineWidth = height * 0.055;
  context.beginPath();
  context.ellipse(
    x + half * 0.95,
    top + (foot - top) * 0.38,
    half * 0.42,
    (foot - top) * 0.24,
    0,
    -Math.PI / 2,
    Math.PI / 2,
  );
  context.stroke();
  context.restore();
  context.beginPath();
  context.moveTo(x - half, top);
  context.bezierCurveTo(x - half, foot - (foot - top) * 0.25, x - waist, foot, x - waist * 0.8, foot);
  context.lineTo(x + waist * 0.8, foot);
  context.bezierCurveTo(x + waist, foot, x + half, foot - (foot - top) * 0.25, x + half, top);
  context.closePath();
  fillLit(frame, body, { top, bottom: foot }, 0.3);
  paintEllipse(frame, { x, y: top, half, depth: half * 0.2 }, lighten(body, 0.06));
  paintEllipse(
    frame,
    { x, y: top + half * 0.02, half: half * 0.86, depth: half * 0.15 },
    mix(accent, frame.scheme.dark, 0.4),
  );
}

/** The part of a cup's height that its steam takes. */
const steamShare = 0.42;

function paintCup(frame: StoryboardFrame, stand: Stand, colors: PropColors): void {
  paintCupBody(frame, stand, colors);
  paintSteam(frame, stand, colors.body);
}

/** The steam of the drawn cup. The wisps sway to the other side and back while `phase` goes from 0 to 1. */
function paintSteam(frame: StoryboardFrame, { x, foot, height }: Stand, color: Color, phase = 0): void {
  const mouth = foot - height * (1 - steamShare);
  for (const [index, shift] of [-0.34, 0, 0.34].entries()) {
    const isMiddle = index === 1;
    const turn = Math.cos(2 * Math.PI * phase * (isMiddle ? 2 : 1));
    const wisp = {
      x: x + shift * height * 0.36,
      foot: mouth - height * 0.03,
      height: height * steamShare * (isMiddle ? 1 : 0.78) * (0.91 + 0.09 * turn),
    };
    paintWisp(frame, wisp, { color, sway: turn });
  }
}

type WispLook = { readonly color: Color; readonly sway: number };

function paintWisp({ context }: StoryboardFrame, { x, foot, height }: Stand, { color, sway: share }: WispLook): void {
  const fade = context.createLinearGradient(0, foot, 0, foot - height);
  fade.addColorStop(0, toCss(color, 0));
  fade.addColorStop(0.35, toCss(color, 0.5));
  fade.addColorStop(1, toCss(color, 0));
  const sway = height * 0.16 * share;
  context.save();
  context.strokeStyle = fade;
  context.lineCap = "round";
  context.lineWidth = height * 0.085;
  context.beginPath();
  context.moveTo(x, foot);
  context.bezierCurveTo(x - sway, foot - height * 0.33, x + sway, foot - height * 0.6, x, foot - height);
  context.stroke();
  context.restore();
}

function paintBottle(frame: StoryboardFrame, { x, foot, height }: Stand, { body, accent }: PropColors): void {
  const { context } = frame;
  const half = height * 0.2;
  const shoulder = foot - height * 0.68;
  const neck = half * 0.4;
  context.beginPath();
  context.roundRect(x - neck * 1.15, foot - height, neck * 2.3, height * 0.17, neck * 0.3);
  fillLit(frame, accent, { top: foot - height, bottom: shoulder }, 0.2);
  context.beginPath();
  context.moveTo(x - neck, foot - height * 0.84);
  context.bezierCurveTo(x - neck, shoulder, x - half, shoulder, x - half, shoulder + half * 0.7);
  context.lineTo(x - half, foot - half * 0.25);
  context.quadraticCurveTo(x - half, foot, x - half * 0.75, foot);
  context.lineTo(x + half * 0.75, foot);
  context.quadraticCurveTo(x + half, foot, x + half, foot - half * 0.25);
  context.lineTo(x + half, shoulder + half * 0.7);
  context.bezierCurveTo(x + half, shoulder, x + neck, shoulder, x + neck, foot - height * 0.84);
  context.closePath();
  fillLit(frame, body, { top: foot - height, bottom: foot }, 0.3);
  paintLabel(frame, { x, y: foot - height * 0.42, half, height: height * 0.28 }, accent);
}

function paintPhone(frame: StoryboardFrame, { x, foot, height }: Stand, { body, accent }: PropColors): void {
  const { context } = frame;
  const half = height * 0.25;
  const edge = half * 0.09;
  context.beginPath();
  context.roundRect(x - half, foot - height, half * 2, height, half * 0.3);
  fillLit(frame, frame.scheme.dark, { top: foot - height, bottom: foot }, 0.32);
  context.beginPath();
  context.roundRect(x - half + edge, foot - height + edge, (half - edge) * 2, height - 2 * edge, half * 0.22);
  fillLit(frame, body, { top: foot - height, bottom: foot }, 0);
  for (const [row, share] of [0.62, 1, 0.82].entries()) {
    context.beginPath();
    const y = foot - height * (0.8 - row * 0.2);
    context.roundRect(x - half * 0.7, y, half * 1.4 * share, height * 0.12, half * 0.12);
    context.fillStyle = toCss(row === 1 ? accent : mix(body, accent, 0.35));
    context.fill();
  }
}

function paintBox(frame: StoryboardFrame, { x, foot, height }: Stand, { body, accent }: PropColors): void {
  const { context } = frame;
  const half = height * 0.36;
  const depth = height * 0.16;
  const top = foot - height + depth;
  context.beginPath();
  context.rect(x - half, top, half * 2, foot - top);
  fillLit(frame, body, { top, bottom: foot }, 0.3);
  context.beginPath();
  context.moveTo(x - half, top);
  context.lineTo(x - half + depth, top - depth);
  context.lineTo(x + half - depth, top - depth);
  context.lineTo(x + half, top);
  context.closePath();
  context.fillStyle = toCss(lighten(body, 0.06));
  context.fill();
  paintLabel(frame, { x, y: (top + foot) / 2, half: half * 0.62, height: (foot - top) * 0.4 }, accent);
}

type LabelArea = { readonly x: number; readonly y: number; readonly half: number; readonly height: number };

/** A label with a disc instead of words, because a prompt may ask for an image without text. */
function paintLabel({ context, scheme }: StoryboardFrame, { x, y, half, height }: LabelArea, color: Color): void {
  context.fillStyle = toCss(color);
  context.fillRect(x - half, y - height / 2, half * 2, height);
  context.beginPath();
  context.arc(x, y, Math.min(half, height) * 0.32, 0, 2 * Math.PI);
  context.fillStyle = toCss(scheme.light);
  context.fill();
}

type Ellipse = { readonly x: number; readonly y: number; readonly half: number; readonly depth: number };

function paintEllipse({ context }: StoryboardFrame, { x, y, half, depth }: Ellipse, color: Color): void {
  context.beginPath();
  context.ellipse(x, y, half, depth, 0, 0, 2 * Math.PI);
  context.fillStyle = toCss(color);
  context.fill();
}

import { fillLit, paintDisc, paintFloor, paintHalo, paintSky, type StoryboardFrame } from "./backdrop.ts";
import { mix, toCss } from "./color-schemes.ts";
import { paintProp } from "./props.ts";

/** A product before a disc that the horizon partly covers. */
export function paintSunrise(frame: StoryboardFrame): void {
  const { layout, scheme, random } = frame;
  paintSky(frame);
  const radius = layout.unit * (0.26 + 0.09 * random());
  const sun = {
    x: layout.width * (0.36 + 0.28 * random()),
    y: layout.floor - radius * (0.15 + 0.5 * random()),
    radius,
  };
  paintHalo(frame, sun);
  paintDisc(frame, sun, scheme.tones[0]);
  paintFloor(frame);
  paintProp(frame, { x: sun.x, foot: layout.floor + layout.unit * 0.05, height: layout.unit * 0.36 }, scheme.tones[0]);
}

/** Concentric discs in front of rays. */
export function paintBurst(frame: StoryboardFrame): void {
  const { layout, scheme, random } = frame;
  paintSky(frame);
  const center = { x: layout.width * (0.4 + 0.2 * random()), y: layout.floor - layout.unit * 0.06 };
  paintRays(frame, center);
  const [first, second] = scheme.tones;
  const discs = [mix(scheme.sky, first, 0.55), first, second];
  for (const [index, color] of discs.entries()) {
    paintDisc(frame, { ...center, radius: layout.unit * (0.4 - 0.125 * index) }, color, 0.15);
  }
  paintFloor(frame);
}

function paintRays({ context, layout, scheme, random }: StoryboardFrame, { x, y }: { x: number; y: number }): void {
  const count = 11 + Math.floor(random() * 4);
  const offset = random();
  const length = Math.hypot(layout.width, layout.height);
  const halfAngle = Math.PI / count / 2;
  context.fillStyle = toCss(mix(scheme.sky, scheme.tones[0], 0.2));
  for (let ray = 0; ray < count; ray++) {
    const angle = ((ray + offset) * 2 * Math.PI) / count;
    context.beginPath();
    context.moveTo(x, y);
    for (const edge of [angle - halfAngle, angle + halfAngle]) {
      context.lineTo(x + length * Math.cos(edge), y + length * Math.sin(edge));
    }
    context.fill();
  }
}

/** Broad diagonal bands across the sky. */
export function paintBands(frame: StoryboardFrame): void {
  const { context, layout, scheme, random } = frame;
  paintSky(frame);
  const side = random() < 0.5 ? 1 : -1;
  const slope = 0.45 + 0.35 * random();
  const [first, second, third] = scheme.tones;
  const colors = [mix(scheme.sky, first, 0.3), first, second, mix(third, second, 0.2)];
  const halfWidth = layout.width * 0.8;
  for (const [index, color] of colors.entries()) {
    const y = layout.floor - layout.unit * (0.38 - 0.14 * index);
    context.beginPath();
    context.moveTo(layout.width / 2 - side * halfWidth, y + halfWidth * slope);
    context.lineTo(layout.width / 2 + side * halfWidth, y - halfWidth * slope);
    context.lineTo(layout.width / 2 + side * halfWidth, layout.height);
    context.lineTo(layout.width / 2 - side * halfWidth, layout.height);
    context.closePath();
    fillLit(frame, color, { top: y - halfWidth * slope, bottom: layout.height }, 0.2);
  }
  paintFloor(frame);
}

/** A product before three mountain ridges and a moon; the ridges are smooth or jagged. */
export function paintRidges(frame: StoryboardFrame, isHard: boolean): void {
  const { layout, scheme, random } = frame;
  paintSky(frame);
  const radius = layout.unit * (0.11 + 0.06 * random());
  const moon = { x: layout.width * (0.25 + 0.5 * random()), y: layout.floor - layout.unit * 0.42, radius };
  paintDisc(frame, moon, scheme.tones[1], 0.1);
  for (const depth of [0, 1, 2]) {
    const base = layout.floor - layout.unit * (0.3 - 0.12 * depth);
    const color = mix(mix(scheme.sky, scheme.tones[0], 0.4 + 0.3 * depth), scheme.dark, 0.07 * depth);
    outlineRidge(frame, { base, height: layout.unit * (0.13 - 0.02 * depth) }, isHard);
    fillLit(frame, color, { top: base - layout.unit * 0.1, bottom: layout.floor }, 0.16);
  }
  paintFloor(frame);
  const stand = { x: layout.width / 2, foot: layout.floor + layout.unit * 0.06, height: layout.unit * 0.34 };
  paintProp(frame, stand, scheme.tones[0]);
}

/** Sets the current path to a ridge. */
function outlineRidge(
  { context, layout, random }: StoryboardFrame,
  { base, height }: { readonly base: number; readonly height: number },
  isHard: boolean,
): void {
  const count = isHard ? 5 : 4;
  const shift = random();
  const step = layout.width / (count - 1.5);
  const peaks = Array.from({ length: count + 2 }, (_, index) => ({
    x: (index - 0.5 - shift) * step,
    y: base + height * (index % 2 === 0 ? 1 : -1) * (0.45 + 0.55 * random()),
  }));
  context.beginPath();
  context.moveTo(-step * 2, layout.floor + 2);
  let last = { x: -step * 2, y: peaks[0]!.y };
  context.lineTo(last.x, last.y);
  for (const peak of peaks) {
    const middle = (last.x + peak.x) / 2;
    if (isHard) context.lineTo(peak.x, peak.y);
    else context.bezierCurveTo(middle, last.y, middle, peak.y, peak.x, peak.y);
    last = peak;
  }
  context.lineTo(layout.width + step * 2, layout.floor + 2);
  context.closePath();
}

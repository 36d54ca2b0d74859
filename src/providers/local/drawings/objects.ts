import type { SKRSContext2D } from "@napi-rs/canvas";
import { type Circle, fillLit, paintFloor, paintSky, type StoryboardFrame } from "./backdrop.ts";
import { lighten, mix, toCss } from "./color-schemes.ts";
import { paintProp } from "./props.ts";

/** A product before nested doorways. */
export function paintArches(frame: StoryboardFrame): void {
  const { context, layout, scheme, random } = frame;
  paintSky(frame);
  paintFloor(frame);
  const x = layout.width * (0.4 + 0.2 * random());
  const [first, second, third] = scheme.tones;
  const colors = [first, mix(first, second, 0.55), second, mix(third, second, 0.35)];
  for (const [index, color] of colors.entries()) {
    const half = layout.unit * (0.36 - 0.082 * index);
    const top = layout.floor - layout.unit * (0.62 - 0.115 * index);
    context.beginPath();
    context.moveTo(x - half, layout.floor);
    context.arc(x, top + half, half, Math.PI, 2 * Math.PI);
    context.lineTo(x + half, layout.floor);
    context.closePath();
    fillLit(frame, color, { top, bottom: layout.floor }, 0.18);
  }
  const stand = { x, foot: layout.floor + layout.unit * 0.04, height: layout.unit * 0.32 };
  paintProp(frame, stand, colors[3]!); // safe because there are four
}

/** Concentric half discs at one side of the floor. */
export function paintRings(frame: StoryboardFrame): void {
  const { context, layout, scheme, random } = frame;
  paintSky(frame);
  const x = layout.width * (random() < 0.5 ? 0.08 + 0.1 * random() : 0.82 + 0.1 * random());
  const [first, second, third] = scheme.tones;
  const colors = [mix(scheme.sky, first, 0.22), mix(scheme.sky, first, 0.6), first, second, third];
  for (const [index, color] of colors.entries()) {
    const radius = layout.unit * (0.84 - 0.155 * index);
    context.beginPath();
    context.arc(x, layout.floor, radius, Math.PI, 2 * Math.PI);
    context.closePath();
    fillLit(frame, color, { top: layout.floor - radius, bottom: layout.floor }, 0.14);
  }
  paintFloor(frame);
}

/** Quarter discs or triangles, stacked like tiles on the floor. */
export function paintTiles(frame: StoryboardFrame, isHard: boolean): void {
  const { context, layout, scheme, random } = frame;
  paintSky(frame);
  const columns = Math.max(4, Math.round((layout.width / layout.unit) * 4));
  const side = layout.width / columns;
  const [first, second, third] = scheme.tones;
  const colors = [first, second, mix(scheme.sky, first, 0.5), third];
  for (let column = 0; column < columns; column++) {
    const rows = 1 + Math.floor(random() * 2.6);
    for (let row = 1; row <= rows; row++) {
      context.fillStyle = toCss(colors[Math.floor(random() * colors.length)]!);
      paintTile(context, { x: column * side, y: layout.floor - row * side, side }, Math.floor(random() * 4), isHard);
    }
  }
  paintFloor(frame);
}

type Square = { readonly x: number; readonly y: number; readonly side: number };

function paintTile(context: SKRSContext2D, { x, y, side }: Square, quarterTurns: number, isHard: boolean): void {
  context.save();
  context.translate(x + side / 2, y + side / 2);
  context.rotate((quarterTurns * Math.PI) / 2);
  // a slight overlap hides the seams between tiles
  const half = side / 2 + 0.4;
  context.beginPath();
  context.moveTo(-half, half);
  if (isHard) context.lineTo(-half, -half);
  else context.arc(-half, half, 2 * half, -Math.PI / 2, 0);
  context.lineTo(half, half);
  context.closePath();
  context.fill();
  context.restore();
}

/** A ball with two orbits. */
export function paintOrbit(frame: StoryboardFrame): void {
  const { layout, random } = frame;
  paintSky(frame);
  paintFloor(frame);
  const ball = {
    x: layout.width * (0.42 + 0.16 * random()),
    y: layout.floor - layout.unit * 0.3,
    radius: layout.unit * 0.23,
  };
  const tilt = (random() < 0.5 ? 1 : -1) * (0.25 + 0.25 * random());
  paintGroundShadow(frame, ball);
  paintOrbits(frame, ball, { tilt, start: Math.PI });
  paintBall(frame, ball);
  paintOrbits(frame, ball, { tilt, start: 0 });
}

function paintGroundShadow({ context, layout }: StoryboardFrame, { x, radius }: Circle): void {
  const shadow = context.createRadialGradient(x, 0, 0, x, 0, radius * 1.5);
  shadow.addColorStop(0, "rgba(0, 0, 0, 0.28)");
  shadow.addColorStop(1, "rgba(0, 0, 0, 0)");
  context.save();
  context.translate(0, layout.floor + layout.unit * 0.03);
  context.scale(1, 0.12);
  context.fillStyle = shadow;
  context.fillRect(x - radius * 2, -radius * 2, radius * 4, radius * 4);
  context.restore();
}

function paintBall({ context, scheme }: StoryboardFrame, { x, y, radius }: Circle): void {
  const [color] = scheme.tones;
  const gradient = context.createRadialGradient(x - radius * 0.4, y - radius * 0.5, radius * 0.1, x, y, radius * 1.1);
  gradient.addColorStop(0, toCss(lighten(color, 0.14)));
  gradient.addColorStop(1, toCss(lighten(color, -0.12)));
  context.fillStyle = gradient;
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.fill();
}

/** Paints half of each orbit, so that the far half can be painted before the ball and the near half after it. */
function paintOrbits(
  { context, layout, scheme }: StoryboardFrame,
  ball: Circle,
  half: { tilt: number; start: number },
): void {
  for (const [index, growth] of [1.45, 1.8].entries()) {
    context.strokeStyle = toCss(scheme.tones[1 + index]!, 0.95);
    context.lineWidth = Math.max(1, layout.unit * (0.014 - 0.006 * index));
    context.beginPath();
    const radius = ball.radius * growth;
    context.ellipse(ball.x, ball.y, radius, radius * 0.3, half.tilt, half.start, half.start + Math.PI);
    context.stroke();
  }
}

import type { SKRSContext2D } from "@napi-rs/canvas";
import type { Color } from "../../timeline/overlay.ts";
import { css, lightened, mixed } from "./colors.ts";
import { type Circle, fillLit, paintDisc, paintFloor, paintHalo, paintSky, type Scene } from "./ground.ts";

/** Doorways inside each other. */
export function paintArches(scene: Scene): void {
  const { context, stage, scheme, chance } = scene;
  paintSky(scene);
  paintFloor(scene);
  const x = stage.width * (0.4 + 0.2 * chance());
  const [first, second, third] = scheme.tones;
  const colors = [first, mixed(first, second, 0.55), second, mixed(third, second, 0.35)];
  for (const [index, color] of colors.entries()) {
    const half = stage.unit * (0.36 - 0.082 * index);
    const top = stage.floor - stage.unit * (0.62 - 0.115 * index);
    context.beginPath();
    context.moveTo(x - half, stage.floor);
    context.arc(x, top + half, half, Math.PI, 2 * Math.PI);
    context.lineTo(x + half, stage.floor);
    context.closePath();
    fillLit(scene, color, { top, bottom: stage.floor }, 0.18);
  }
}

/** Rings around a corner of the floor. */
export function paintRings(scene: Scene): void {
  const { context, stage, scheme, chance } = scene;
  paintSky(scene);
  const x = stage.width * (chance() < 0.5 ? 0.08 + 0.1 * chance() : 0.82 + 0.1 * chance());
  const [first, second, third] = scheme.tones;
  const colors = [mixed(scheme.sky, first, 0.22), mixed(scheme.sky, first, 0.6), first, second, third];
  for (const [index, color] of colors.entries()) {
    const radius = stage.unit * (0.84 - 0.155 * index);
    context.beginPath();
    context.arc(x, stage.floor, radius, Math.PI, 2 * Math.PI);
    context.closePath();
    fillLit(scene, color, { top: stage.floor - radius, bottom: stage.floor }, 0.14);
  }
  paintFloor(scene);
}

/** Quarter discs or triangles laid like tiles along the floor. */
export function paintTiles(scene: Scene, isHard: boolean): void {
  const { context, stage, scheme, chance } = scene;
  paintSky(scene);
  const columns = Math.max(4, Math.round((stage.width / stage.unit) * 4));
  const side = stage.width / columns;
  const [first, second, third] = scheme.tones;
  const colors = [first, second, mixed(scheme.sky, first, 0.5), third];
  for (let column = 0; column < columns; column++) {
    const rows = 1 + Math.floor(chance() * 2.6);
    for (let row = 1; row <= rows; row++) {
      context.fillStyle = css(colors[Math.floor(chance() * colors.length)]!);
      paintTile(context, { x: column * side, y: stage.floor - row * side, side }, Math.floor(chance() * 4), isHard);
    }
  }
  paintFloor(scene);
}

type Square = { readonly x: number; readonly y: number; readonly side: number };

function paintTile(context: SKRSContext2D, { x, y, side }: Square, quarterTurns: number, isHard: boolean): void {
  context.save();
  context.translate(x + side / 2, y + side / 2);
  context.rotate((quarterTurns * Math.PI) / 2);
  // a hair more, so that no seam shows between two
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

/** A stage for a product: two plinths before a disc. */
export function paintPlinths(scene: Scene, isHard: boolean): void {
  const { stage, scheme, chance } = scene;
  paintSky(scene);
  const { unit } = stage;
  const side = chance() < 0.5 ? 1 : -1;
  const x = stage.width / 2 - side * 0.1 * unit;
  const disc = { x, y: stage.floor - unit * 0.36, radius: unit * (0.27 + 0.05 * chance()) };
  paintHalo(scene, disc);
  paintDisc(scene, disc, scheme.tones[0], 0.14);
  paintFloor(scene);
  const paint = isHard ? paintBlock : paintColumn;
  const low = { x: x + side * unit * 0.3, half: 0.13 * unit, height: unit * (0.12 + 0.05 * chance()) };
  paint(scene, low, mixed(scheme.tones[1], scheme.floor, 0.25));
  paint(scene, { x, half: 0.2 * unit, height: unit * (0.24 + 0.07 * chance()) }, scheme.tones[1]);
}

type Plinth = { readonly x: number; readonly half: number; readonly height: number };

function paintColumn(scene: Scene, { x, half, height }: Plinth, color: Color): void {
  const { context, stage } = scene;
  const [foot, depth] = [stage.floor + stage.unit * 0.025, half * 0.2];
  context.beginPath();
  context.ellipse(x, foot, half, depth, 0, 0, Math.PI);
  context.lineTo(x - half, foot - height);
  context.lineTo(x + half, foot - height);
  context.closePath();
  fillLit(scene, lightened(color, -0.05), { top: foot - height, bottom: foot }, 0.3);
  context.beginPath();
  context.ellipse(x, foot - height, half, depth, 0, 0, 2 * Math.PI);
  context.fillStyle = css(lightened(color, 0.06));
  context.fill();
}

function paintBlock(scene: Scene, { x, half, height }: Plinth, color: Color): void {
  const { context, stage } = scene;
  const [foot, depth] = [stage.floor + stage.unit * 0.035, half * 0.24];
  const [left, right, top, back] = [x - half, x + half, foot - height, half * 0.34];
  context.beginPath();
  context.rect(left, top, 2 * half, height);
  fillLit(scene, lightened(color, -0.05), { top, bottom: foot }, 0.3);
  const cover = [left, top, left + back, top - depth, right + back, top - depth, right, top] as const;
  fillFace(context, cover, lightened(color, 0.06));
  const flank = [right, top, right + back, top - depth, right + back, foot - depth, right, foot] as const;
  fillFace(context, flank, lightened(color, -0.13));
}

type Face = readonly [number, number, number, number, number, number, number, number];

function fillFace(context: SKRSContext2D, [x, y, ...rest]: Face, color: Color): void {
  context.beginPath();
  context.moveTo(x, y);
  context.lineTo(rest[0], rest[1]);
  context.lineTo(rest[2], rest[3]);
  context.lineTo(rest[4], rest[5]);
  context.closePath();
  context.fillStyle = css(color);
  context.fill();
}

/** A ball with its orbits. */
export function paintOrbit(scene: Scene): void {
  const { stage, chance } = scene;
  paintSky(scene);
  paintFloor(scene);
  const [x, y] = [stage.width * (0.42 + 0.16 * chance()), stage.floor - stage.unit * 0.3];
  const ball = { x, y, radius: stage.unit * 0.23 };
  const tilt = (chance() < 0.5 ? 1 : -1) * (0.25 + 0.25 * chance());
  paintGroundShadow(scene, ball);
  paintOrbits(scene, ball, { tilt, start: Math.PI });
  paintBall(scene, ball);
  paintOrbits(scene, ball, { tilt, start: 0 });
}

function paintGroundShadow({ context, stage }: Scene, { x, radius }: Circle): void {
  const shadow = context.createRadialGradient(x, 0, 0, x, 0, radius * 1.5);
  shadow.addColorStop(0, "rgba(0, 0, 0, 0.28)");
  shadow.addColorStop(1, "rgba(0, 0, 0, 0)");
  context.save();
  context.translate(0, stage.floor + stage.unit * 0.03);
  context.scale(1, 0.12);
  context.fillStyle = shadow;
  context.fillRect(x - radius * 2, -radius * 2, radius * 4, radius * 4);
  context.restore();
}

function paintBall({ context, scheme }: Scene, { x, y, radius }: Circle): void {
  const [color] = scheme.tones;
  const light = context.createRadialGradient(x - radius * 0.4, y - radius * 0.5, radius * 0.1, x, y, radius * 1.1);
  light.addColorStop(0, css(lightened(color, 0.14)));
  light.addColorStop(1, css(lightened(color, -0.12)));
  context.fillStyle = light;
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.fill();
}

/** One half of each orbit: what lies behind the ball is painted before it. */
function paintOrbits({ context, stage, scheme }: Scene, ball: Circle, half: { tilt: number; start: number }): void {
  for (const [index, reach] of [1.45, 1.8].entries()) {
    context.strokeStyle = css(scheme.tones[1 + index]!, 0.95);
    context.lineWidth = Math.max(1, stage.unit * (0.014 - 0.006 * index));
    context.beginPath();
    const [across, down] = [ball.radius * reach, ball.radius * reach * 0.3];
    context.ellipse(ball.x, ball.y, across, down, half.tilt, half.start, half.start + Math.PI);
    context.stroke();
  }
}

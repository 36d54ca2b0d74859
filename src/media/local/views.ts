import { css, mixed } from "./colors.ts";
import { fillLit, paintDisc, paintFloor, paintHalo, paintSky, type Scene } from "./ground.ts";

/** A disc that rises behind the horizon. */
export function paintSunrise(scene: Scene): void {
  const { stage, scheme, chance } = scene;
  paintSky(scene);
  const radius = stage.unit * (0.26 + 0.09 * chance());
  const sun = { x: stage.width * (0.36 + 0.28 * chance()), y: stage.floor - radius * (0.15 + 0.5 * chance()), radius };
  paintHalo(scene, sun);
  paintDisc(scene, sun, scheme.tones[0]);
  paintFloor(scene);
}

/** Rays behind a disc. */
export function paintBurst(scene: Scene): void {
  const { stage, scheme, chance } = scene;
  paintSky(scene);
  const middle = { x: stage.width * (0.4 + 0.2 * chance()), y: stage.floor - stage.unit * 0.06 };
  paintRays(scene, middle);
  const [first, second] = scheme.tones;
  const discs = [mixed(scheme.sky, first, 0.55), first, second];
  for (const [index, color] of discs.entries()) {
    paintDisc(scene, { ...middle, radius: stage.unit * (0.4 - 0.125 * index) }, color, 0.15);
  }
  paintFloor(scene);
}

function paintRays({ context, stage, scheme, chance }: Scene, { x, y }: { x: number; y: number }): void {
  const [count, turn, reach] = [11 + Math.floor(chance() * 4), chance(), Math.hypot(stage.width, stage.height)];
  const half = Math.PI / count / 2;
  context.fillStyle = css(mixed(scheme.sky, scheme.tones[0], 0.2));
  for (let ray = 0; ray < count; ray++) {
    const angle = ((ray + turn) * 2 * Math.PI) / count;
    context.beginPath();
    context.moveTo(x, y);
    for (const edge of [angle - half, angle + half]) {
      context.lineTo(x + reach * Math.cos(edge), y + reach * Math.sin(edge));
    }
    context.fill();
  }
}

/** Broad bands that rise across the sky. */
export function paintBands(scene: Scene): void {
  const { context, stage, scheme, chance } = scene;
  paintSky(scene);
  const [side, slope] = [chance() < 0.5 ? 1 : -1, 0.45 + 0.35 * chance()];
  const [first, second, third] = scheme.tones;
  const colors = [mixed(scheme.sky, first, 0.3), first, second, mixed(third, second, 0.2)];
  const half = stage.width * 0.8;
  for (const [index, color] of colors.entries()) {
    const y = stage.floor - stage.unit * (0.38 - 0.14 * index);
    context.beginPath();
    context.moveTo(stage.width / 2 - side * half, y + half * slope);
    context.lineTo(stage.width / 2 + side * half, y - half * slope);
    context.lineTo(stage.width / 2 + side * half, stage.height);
    context.lineTo(stage.width / 2 - side * half, stage.height);
    context.closePath();
    fillLit(scene, color, { top: y - half * slope, bottom: stage.height }, 0.2);
  }
  paintFloor(scene);
}

/** Ridges one behind the other, smooth or jagged. */
export function paintRidges(scene: Scene, isHard: boolean): void {
  const { stage, scheme, chance } = scene;
  paintSky(scene);
  const radius = stage.unit * (0.11 + 0.06 * chance());
  const moon = { x: stage.width * (0.25 + 0.5 * chance()), y: stage.floor - stage.unit * 0.42, radius };
  paintDisc(scene, moon, scheme.tones[1], 0.1);
  for (const depth of [0, 1, 2]) {
    const base = stage.floor - stage.unit * (0.3 - 0.12 * depth);
    const color = mixed(mixed(scheme.sky, scheme.tones[0], 0.4 + 0.3 * depth), scheme.dark, 0.07 * depth);
    outlineRidge(scene, { base, height: stage.unit * (0.13 - 0.02 * depth) }, isHard);
    fillLit(scene, color, { top: base - stage.unit * 0.1, bottom: stage.floor }, 0.16);
  }
  paintFloor(scene);
}

function outlineRidge(
  { context, stage, chance }: Scene,
  { base, height }: { readonly base: number; readonly height: number },
  isHard: boolean,
): void {
  const count = isHard ? 5 : 4;
  const [shift, step] = [chance(), stage.width / (count - 1.5)];
  const peaks = Array.from({ length: count + 2 }, (_, index) => ({
    x: (index - 0.5 - shift) * step,
    y: base + height * (index % 2 === 0 ? 1 : -1) * (0.45 + 0.55 * chance()),
  }));
  context.beginPath();
  context.moveTo(-step * 2, stage.floor + 2);
  let [lastX, lastY] = [-step * 2, peaks[0]!.y];
  context.lineTo(lastX, lastY);
  for (const { x, y } of peaks) {
    const middle = (lastX + x) / 2;
    if (isHard) context.lineTo(x, y);
    else context.bezierCurveTo(middle, lastY, middle, y, x, y);
    [lastX, lastY] = [x, y];
  }
  context.lineTo(stage.width + step * 2, stage.floor + 2);
  context.closePath();
}

import type { SKRSContext2D } from "@napi-rs/canvas";
import type { Color } from "../../timeline/overlay.ts";
import { css, lightened, mixed, type Scheme } from "./colors.ts";
import type { Stage } from "./stage.ts";

export type Scene = {
  readonly context: SKRSContext2D;
  readonly stage: Stage;
  readonly scheme: Scheme;
  /** The next number from 0 to 1. */
  readonly chance: () => number;
};

export function paintSky({ context, stage, scheme }: Scene): void {
  const sky = context.createLinearGradient(0, 0, 0, stage.floor);
  sky.addColorStop(0, css(lightened(scheme.sky, -0.045)));
  sky.addColorStop(1, css(lightened(mixed(scheme.sky, scheme.tones[0], 0.16), 0.05)));
  context.fillStyle = sky;
  context.fillRect(0, 0, stage.width, stage.height);
}

export function paintFloor(scene: Scene): void {
  const { context, stage, scheme } = scene;
  const { width, height, floor } = stage;
  const ground = context.createLinearGradient(0, floor, 0, height);
  ground.addColorStop(0, css(lightened(scheme.floor, 0.025)));
  ground.addColorStop(1, css(lightened(scheme.floor, -0.055)));
  context.fillStyle = ground;
  context.fillRect(0, floor, width, height - floor);
  paintReflection(scene);
}

/** What stands on the floor is seen in it, faintly, just below the horizon. */
function paintReflection({ context, stage, scheme }: Scene): void {
  const { width, height, floor } = stage;
  const reach = (height - floor) * 0.55;
  const glow = context.createRadialGradient(0, 0, 0, 0, 0, reach);
  glow.addColorStop(0, css(mixed(scheme.floor, scheme.tones[0], 0.5), 0.55));
  glow.addColorStop(1, css(scheme.floor, 0));
  context.save();
  context.beginPath();
  context.rect(0, floor, width, height - floor);
  context.clip();
  context.translate(width / 2, floor);
  context.scale(Math.max(1, (width / reach) * 0.62), 0.3);
  context.fillStyle = glow;
  context.fillRect(-width, 0, 2 * width, height);
  context.restore();
}

/** Fills the current path with light from above, over a soft shadow. */
export function fillLit(
  { context, stage }: Scene,
  color: Color,
  area: { readonly top: number; readonly bottom: number },
  shadow = 0.22,
): void {
  const light = context.createLinearGradient(0, area.top, 0, area.bottom);
  light.addColorStop(0, css(lightened(color, 0.05)));
  light.addColorStop(1, css(lightened(color, -0.06)));
  context.save();
  context.shadowColor = `rgba(0, 0, 0, ${shadow})`;
  context.shadowBlur = stage.unit * 0.05;
  context.shadowOffsetY = stage.unit * 0.012;
  context.fillStyle = light;
  context.fill();
  context.restore();
}

export type Circle = { readonly x: number; readonly y: number; readonly radius: number };

export function paintDisc(scene: Scene, { x, y, radius }: Circle, color: Color, shadow?: number): void {
  scene.context.beginPath();
  scene.context.arc(x, y, radius, 0, 2 * Math.PI);
  fillLit(scene, color, { top: y - radius, bottom: y + radius }, shadow);
}

/** Rings around what matters, nearer ones stronger. */
export function paintHalo({ context, scheme }: Scene, { x, y, radius }: Circle): void {
  for (const [index, growth] of [1.75, 1.4, 1.15].entries()) {
    context.beginPath();
    context.arc(x, y, radius * growth, 0, 2 * Math.PI);
    context.fillStyle = css(lightened(mixed(scheme.sky, scheme.tones[0], 0.1 + 0.09 * index), 0.02), 0.75);
    context.fill();
  }
}

import type { Box } from "../../../engine/drawing/box.ts";
import type { Color } from "../../../platform/colors.ts";
import { fillLit, paintDisc, type Stand } from "./backdrop.ts";
import { contrast, isNear, lighten, mix, toCss } from "./color-schemes.ts";
import { bodyColor, paintSteam } from "./props.ts";
import type { SceneFrame, SceneLayers, ScenePart } from "./scene-frame.ts";

/** The positions of products, and the shapes behind and below them. */
type Stage = {
  readonly stands: readonly Stand[];
  readonly plinths: readonly Plinth[];
  readonly paintBehind: (frame: SceneFrame) => void;
};

type Plinth = { readonly x: number; readonly half: number; readonly height: number };

/** Consecutive scenes have different stages; the opening has the first, and the end a small one of its own. */
export function productScene(frame: SceneFrame): SceneLayers {
  const { design } = frame;
  const stage = design.place === "end" ? small(frame) : stages[design.variant % stages.length]!(frame); // safe: a remainder
  const body = bodyColor(frame.scheme, frame.scheme.tones[0]);
  return {
    paintGround: stage.paintBehind,
    parts: [
      ...stage.plinths.map((plinth) => plinthPart(frame, plinth, plinthColor(frame, body))),
      ...stage.stands.flatMap((stand, index) => productParts(frame, stand, { body, index })),
    ],
  };
}

function plinthPart(frame: SceneFrame, plinth: Plinth, color: Color): ScenePart {
  const { layout, design } = frame;
  const { x, half, height } = plinth;
  const margin = 0.1 * layout.unit;
  const top = layout.floor - height - margin;
  return {
    box: { x: x - half - margin, y: top, width: 2 * (half + margin), height: height + 2.4 * margin },
    motion: { from: { x: 0, y: design.place === "opening" ? 0 : layout.height - top }, delay: 0 },
    paint: (shown) => paintPlinth(shown, plinth, color),
  };
}

const coffee: Color = { red: 84, green: 44, blue: 24, alpha: 1 };

function productParts(
  frame: SceneFrame,
  stand: Stand,
  { body, index }: { body: Color; index: number },
): readonly ScenePart[] {
  const { layout, design, axis } = frame;
  const isCup = design.object === "cup";
  const accent = isCup ? coffee : frame.scheme.tones[0];
  const side = stand.x < axis - 1 ? -1 : stand.x > axis + 1 ? 1 : design.variant % 2 === 0 ? 1 : -1;
  const from =
    design.place === "opening"
      ? { x: 0, y: -0.06 * layout.unit }
      : { x: side * (layout.width / 2 + stand.height), y: 0 };
  const motion = { from, delay: design.place === "opening" ? 0 : 0.1 + 0.08 * index };
  const product: ScenePart = {
    box: around(stand),
    motion,
    paint: (shown) => shown.prop(shown, stand, { body, accent }),
  };
  if (!isCup) return [product];
  const steam = contrast(body, frame.scheme.tones[0]) > 2 ? body : lighten(body, -0.3);
  const above = { x: stand.x - 0.35 * stand.height, y: stand.foot - 1.02 * stand.height };
  return [
    product,
    {
      ...{ motion, isLoop: true, box: { ...above, width: 0.7 * stand.height, height: 0.46 * stand.height } },
      paint: (shown, phase) => paintSteam(shown, stand, steam, phase),
    },
  ];
}

const around = ({ x, foot, height }: Stand): Box => ({
  x: x - 0.6 * height,
  y: foot - 1.08 * height,
  width: 1.2 * height,
  height: 1.25 * height,
});

const stages: readonly ((frame: SceneFrame) => Stage)[] = [disc, two, row];

/** The height of a product on a stage of its own. */
const heightOn = ({ layout, isTall }: SceneFrame): number => layout.unit * (isTall ? 0.6 : 0.46);

function disc(frame: SceneFrame): Stage {
  const { layout, axis, isTall } = frame;
  const { unit, floor } = layout;
  const height = heightOn(frame);
  const foot = floor - 0.05 * unit;
  const radius = unit * (isTall ? 0.33 : 0.25);
  return {
    stands: [{ x: axis, foot, height }],
    plinths: [{ x: axis, half: 0.4 * height, height: 0.05 * unit }],
    paintBehind: (shown) => {
      paintFloorRings(shown);
      paintDisc(shown, { x: axis, y: floor - radius, radius }, shown.scheme.tones[0], 0.12);
    },
  };
}

/** A high plinth and a low one, before an arch. */
function two(frame: SceneFrame): Stage {
  const { layout, axis, isTall, design } = frame;
  const { unit, floor } = layout;
  const side = design.variant % 2 === 0 ? 1 : -1;
  const height = heightOn(frame) * 0.82;
  const high = { x: axis + side * 0.08 * unit, half: 0.42 * height, height: unit * (isTall ? 0.16 : 0.1) };
  const low = { x: axis - side * 0.3 * unit, half: 0.24 * height, height: unit * (isTall ? 0.09 : 0.05) };
  const radius = unit * (isTall ? 0.32 : 0.27);
  return {
    stands: [{ x: high.x, foot: floor - high.height, height }],
    plinths: [low, high],
    paintBehind: (shown) => {
      paintFloorRings(shown);
      paintArch(shown, { x: high.x, y: floor - unit * (isTall ? 0.34 : 0.22), radius, foot: floor });
    },
  };
}

/** Three copies of the product on one long plinth. */
function row(frame: SceneFrame): Stage {
  const { layout, axis, isTall } = frame;
  const { unit, floor } = layout;
  const height = heightOn(frame) * 0.62;
  const foot = floor - 0.06 * unit;
  const gap = unit * (isTall ? 0.31 : 0.27);
  return {
    stands: [-1, 1, 0].map((at) => ({
      x: axis + at * gap,
      foot: foot - (at === 0 ? 0.07 * unit : 0),
      height: height * (at === 0 ? 1.15 : 1),
    })),
    plinths: [
      { x: axis, half: gap + 0.32 * height, height: 0.06 * unit },
      { x: axis, half: 0.42 * height, height: 0.13 * unit },
    ],
    paintBehind: (shown) => {
      paintFloorRings(shown);
      const radius = unit * (isTall ? 0.4 : 0.28);
      paintArch(shown, { x: axis, y: floor - unit * (isTall ? 0.16 : 0.08), radius, foot: floor });
    },
  };
}

/** A stage below the words of the end, where there is room for it. */
function small(frame: SceneFrame): Stage {
  const { layout, axis, bottom, isTall } = frame;
  const { unit } = layout;
  const top = isTall ? bottom - 0.22 * unit : layout.height - 0.03 * unit;
  return {
    stands: isTall ? [{ x: axis, foot: top + 0.02 * unit, height: 0.36 * unit }] : [],
    plinths: [],
    paintBehind: (shown) => paintHill(shown, top),
  };
}

export function paintHill({ context, axis, scheme, layout: { unit } }: SceneFrame, top: number): void {
  const radius = 1.9 * unit;
  context.fillStyle = toCss(scheme.tones[0]);
  context.beginPath();
  context.arc(axis, top + radius, radius, 0, 2 * Math.PI);
  context.fill();
}

function paintFloorRings({ context, layout: { unit, floor }, scheme, axis }: SceneFrame): void {
  const rings = 7;
  for (let ring = rings; ring >= 1; ring--) {
    const half = unit * (0.2 + 0.19 * ring);
    context.beginPath();
    context.ellipse(axis, floor, half, half * 0.27, 0, 0, 2 * Math.PI);
    context.fillStyle = toCss(mix(scheme.sky, scheme.tones[0], 0.035 * (rings + 1 - ring)));
    context.fill();
  }
}

/** A color that differs from the product, from the shapes behind it, and from the ground. */
function plinthColor({ scheme: { sky, tones, light, dark } }: SceneFrame, body: Color): Color {
  const [back, other] = tones;
  const candidates = [other, mix(back, light, 0.5), mix(sky, dark, 0.3), mix(back, dark, 0.3), mix(sky, light, 0.35)];
  const isApart = (color: Color) => [body, back, sky].every((near) => !isNear(near, color, 0.12));
  return candidates.find(isApart) ?? other;
}

function paintPlinth(frame: SceneFrame, { x, half, height }: Plinth, color: Color): void {
  const { context, layout } = frame;
  const { floor, unit } = layout;
  const depth = Math.min(half * 0.18, 0.06 * unit);
  context.beginPath();
  context.ellipse(x, floor, half, depth, 0, 0, Math.PI);
  context.lineTo(x - half, floor - height);
  context.lineTo(x + half, floor - height);
  context.closePath();
  fillLit(frame, lighten(color, -0.06), { top: floor - height, bottom: floor + depth }, 0.25);
  context.beginPath();
  context.ellipse(x, floor - height, half, depth, 0, 0, 2 * Math.PI);
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

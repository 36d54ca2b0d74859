import { type Amount, shapeKinds } from "../../../domain/ai/scene-design.ts";
import type { Color } from "../../../platform/colors.ts";
import { mix, toCss } from "./color-schemes.ts";
import type { PartMotion, SceneFrame, SceneLayers, ScenePart } from "./scene-frame.ts";
import { paintHill } from "./scene-stages.ts";

/** Words alone, with shapes below and, in wide frames, beside them. Shapes on the ground have almost its color. */
export function shapeScene(frame: SceneFrame): SceneLayers {
  const { place, variant, amount } = frame.design;
  if (place === "end") return ending(frame, 0);
  if (amount) return counted(frame, amount);
  const turn = Math.floor(variant / shapeKinds);
  return arrangements[variant % arrangements.length]!(frame, turn); // safe because the remainder is one of the indexes
}

/** `turn` counts the scenes, so that shapes change between them. */
type Arrangement = (frame: SceneFrame, turn: number) => SceneLayers;

/** Entries from below, one after another. In the opening all parts are visible from the first frame on. */
function rising({ layout, design, rise }: SceneFrame, { y }: { readonly y: number }, at: number): PartMotion {
  const distance = design.place === "opening" ? 0.3 * rise : layout.height - y;
  return { from: { x: 0, y: distance }, delay: 0.1 * at };
}

const quietColor = ({ scheme }: SceneFrame, share = 0.1) => toCss(mix(scheme.sky, scheme.tones[0], share));

/** Rings around a point, as strokes. */
function paintRings(frame: SceneFrame, x: number, y: number, radii: readonly number[]): void {
  const { context, layout } = frame;
  context.lineWidth = layout.unit * 0.05;
  context.strokeStyle = quietColor(frame);
  for (const radius of radii) {
    context.beginPath();
    context.arc(x, y, radius * layout.unit, 0, 2 * Math.PI);
    context.stroke();
  }
}

type Disc = { readonly x: number; readonly y: number; readonly radius: number; readonly tone: 0 | 1 };

function discPart({ x, y, radius, tone }: Disc, motion: PartMotion): ScenePart {
  return {
    ...{ box: { x: x - radius, y: y - radius, width: 2 * radius, height: 2 * radius }, motion },
    paint: ({ context, scheme }) => {
      context.fillStyle = toCss(scheme.tones[tone]);
      context.beginPath();
      context.arc(x, y, radius, 0, 2 * Math.PI);
      context.fill();
    },
  };
}

/** Half a disc that enters from the edge of a wide frame. */
function wingDisc({ wing, layout: { unit } }: SceneFrame, tone: 0 | 1): readonly ScenePart[] {
  if (!wing) return [];
  const { near, far, top, bottom } = wing;
  const radius = Math.min(Math.abs(far - near) * 0.86, (bottom - top) * 0.4);
  const disc = { x: far, y: top + 0.42 * (bottom - top), radius, tone };
  const from = { x: Math.sign(far - near) * radius, y: 0 };
  return [discPart(disc, { from, delay: 0.2, sway: { x: 0, y: 0.02 * unit, seconds: 4, phase: 0 } })];
}

/** A shape low on the ground of tall frames, which are otherwise empty there in films for several formats. */
function foot({ axis, layout, bottom }: SceneFrame, tone: 0 | 1): readonly ScenePart[] {
  const room = layout.height - bottom;
  if (room < 0.2 * layout.unit) return [];
  const disc = { x: axis + 0.3 * layout.unit, y: layout.height, radius: 0.8 * room, tone };
  return [discPart(disc, { from: { x: 0, y: disc.radius }, delay: 0.4 })];
}

/** A large disc and a small one, which change sides. */
const discs: Arrangement = (frame, turn) => {
  const { layout, axis, bottom, rise } = frame;
  const { unit } = layout;
  const side = turn % 2 === 0 ? 1 : -1;
  const large = { x: axis + side * 0.22 * unit, y: bottom, radius: 0.98 * rise, tone: 0 } as const;
  const small = { x: axis - side * 0.32 * unit, y: bottom - 0.3 * rise, radius: 0.42 * rise, tone: 1 } as const;
  const sway = { x: 0, y: 0.03 * unit, seconds: 2, phase: 0 };
  return {
    paintGround: (shown) => paintRings(shown, axis - side * 0.5 * unit, bottom - 0.05 * unit, [0.34, 0.5, 0.66]),
    parts: [
      ...wingDisc(frame, 0),
      discPart(large, rising(frame, { y: bottom - large.radius }, 0)),
      discPart(small, { ...rising(frame, { y: small.y - small.radius }, 2), sway }),
    ],
  };
};

/** The maximum height of shapes at a position, as a share of the wing: in its middle, and only beside the words. */
function heightBeside({ wing }: SceneFrame, left: number, right: number): number {
  if (!wing) return 0;
  const isBeside = wing.far > wing.near ? left >= wing.near : right <= wing.near;
  if (!isBeside) return 0;
  const share = ((left + right) / 2 - wing.near) / (wing.far - wing.near);
  return (wing.bottom - wing.top) * (0.42 + 0.4 * share);
}

/** Columns that rise and fall with the beat of the scenes. */
const bars: Arrangement = (frame, turn) => {
  const { layout, axis, bottom, rise, scheme } = frame;
  const { unit } = layout;
  const step = unit * 0.18;
  const width = step * 0.9;
  const heights = [0.5, 0.82, 0.6, 0.96, 0.72];
  const before = Math.ceil(axis / step);
  const count = before + Math.ceil((layout.width - axis) / step);
  return {
    paintGround: (shown) => paintRings(shown, axis + 0.5 * unit, bottom, [0.4, 0.58, 0.76]),
    parts: Array.from({ length: count }, (_, index): ScenePart => {
      const at = (index + 5 * before - before + 2 * turn + 2) % heights.length;
      const share = heights[at]!; // safe because the remainder is one of the indexes
      const left = axis + (index - before) * step;
      const height = Math.max(share * 0.94 * rise, heightBeside(frame, left, left + width));
      const box = { x: left, y: bottom - height, width, height: layout.height - bottom + height + 0.05 * unit };
      const color = share > 0.9 ? scheme.tones[0] : mix(scheme.tones[1], scheme.sky, 0.16 * ((at * 2) % 4));
      const sway = { x: 0, y: 0.03 * unit, seconds: 1, phase: index * 0.3 };
      return {
        ...{ box, motion: { ...rising(frame, box, (5 * index) / count), sway } },
        paint: ({ context }) => {
          context.beginPath();
          context.roundRect(left, box.y, width, box.height + width, width / 2);
          context.fillStyle = toCss(color);
          context.fill();
        },
      };
    }),
  };
};

/** Quarter discs as tiles. */
const tiles: Arrangement = (frame, turn) => {
  const { layout, axis, bottom, rise, isTall, scheme } = frame;
  const side = (rise * 0.98) / (isTall ? 2 : 1);
  // from edge to edge
  const left = Math.ceil(axis / side);
  const columns = left + Math.ceil((layout.width - axis) / side);
  const { tones, sky } = scheme;
  const pairs: readonly (readonly [Color, Color])[] = [
    [tones[0], tones[1]],
    [mix(sky, tones[0], 0.3), tones[0]],
    [tones[1], mix(sky, tones[1], 0.3)],
  ];
  const tile = (column: number, row: number): ScenePart => {
    const x = Math.round(axis + (column - left) * side);
    const y = Math.round(bottom - (row + 1) * side);
    const box = { x, y, width: side, height: row === 0 ? layout.height - y + 0.05 * layout.unit : side };
    // whole columns: their tiles stay together
    const sway = { x: 0, y: 0.015 * layout.unit, seconds: 2, phase: column * 0.15 };
    const [ground, quarter] = pairs[(column + 2 * row + turn) % pairs.length]!; // safe because the remainder is an index
    const corner = (column + row * 3 + turn) % 4;
    return {
      ...{ box, motion: { ...rising(frame, box, (5 * column) / columns + 0.6 * row), sway } },
      paint: ({ context }) => {
        context.fillStyle = toCss(ground);
        context.fillRect(x, y, side + 1, box.height + 1);
        context.fillStyle = toCss(quarter);
        context.beginPath();
        const [cornerX, cornerY] = [x + (corner === 1 || corner === 2 ? side : 0), y + (corner > 1 ? side : 0)];
        context.moveTo(cornerX, cornerY);
        context.arc(cornerX, cornerY, side, (corner * Math.PI) / 2, ((corner + 1) * Math.PI) / 2);
        context.closePath();
        context.fill();
      },
    };
  };
  return {
    paintGround: () => {},
    parts: Array.from({ length: columns }, (_, column) => {
      const x = axis + (column - left) * side;
      const rows = Math.max(isTall ? 2 : 1, Math.floor(heightBeside(frame, x, x + side) / side));
      return Array.from({ length: rows }, (_, row) => tile(column, row));
    }).flat(),
  };
};

/** The number in the words as dots, in columns that rise one after another and swing. */
function counted(frame: SceneFrame, { filled, total, first = 0, isCrossed }: Amount): SceneLayers {
  const { layout, axis, bottom, rise, isTall, scheme, design } = frame;
  const { unit } = layout;
  const [width, height] = [(isTall ? 0.72 : 0.86) * unit, 0.86 * rise];
  // the days of a week are one row
  const least = total <= 7 ? total : Math.ceil(Math.sqrt((total * width) / height));
  const rows = Math.ceil(total / least);
  const columns = Math.ceil(total / rows);
  const cell = Math.min(width / columns, height / rows, 0.26 * unit);
  const [left, top] = [axis - (columns * cell) / 2, bottom - 0.08 * rise - rows * cell];
  const radius = 0.38 * cell;
  const parts = Array.from({ length: columns }, (_, column): ScenePart => {
    const box = { x: left + column * cell, y: top, width: cell, height: rows * cell };
    const sway = { x: 0, y: 0.012 * unit, seconds: 2, phase: column * 0.12 };
    return {
      ...{ box, motion: { ...rising(frame, box, (7 * column) / columns), sway } },
      paint: (shown) => {
        const { context } = shown;
        for (let row = 0; row < rows; row++) {
          const at = row * columns + column;
          if (at >= total) break;
          const counted = design.begins === "left" ? at : row * columns + columns - 1 - column;
          const isFilled = counted >= first && counted < first + filled;
          const [x, y] = [box.x + cell / 2, top + (row + 0.5) * cell];
          context.fillStyle = isFilled ? toCss(scheme.tones[0]) : quietColor(frame, 0.3);
          context.beginPath();
          context.arc(x, y, radius, 0, 2 * Math.PI);
          context.fill();
          if (isCrossed) paintCross(shown, x, y, 0.46 * radius);
        }
      },
    };
  });
  const paintGround = (shown: SceneFrame) => paintRings(shown, axis + 0.5 * unit, bottom, [0.4, 0.58, 0.76]);
  return { paintGround, parts: [...wingDisc(frame, 1), ...foot(frame, 1), ...parts] };
}

/** A cross for what the words negate. */
function paintCross({ context, scheme }: SceneFrame, x: number, y: number, half: number): void {
  context.strokeStyle = toCss(scheme.sky);
  context.lineWidth = 0.42 * half;
  context.lineCap = "round";
  context.beginPath();
  context.moveTo(x - half, y - half);
  context.lineTo(x + half, y + half);
  context.moveTo(x + half, y - half);
  context.lineTo(x - half, y + half);
  context.stroke();
}

const arrangements: readonly Arrangement[] = [discs, bars, tiles];

/** A low sun behind a hill, and half discs at both sides of wide frames: the words have the rest. */
const ending: Arrangement = (frame) => {
  const { layout, axis, bottom, isTall, wing } = frame;
  const { unit } = layout;
  // low frames have words down to their edge
  const top = isTall ? bottom - 0.26 * unit : Math.max(bottom + 0.17 * unit, layout.height - 0.26 * unit);
  const land: ScenePart = {
    ...{ box: { x: 0, y: top - 2, width: layout.width, height: layout.height - top + 3 } },
    motion: { from: { x: 0, y: 0 }, delay: 0 },
    paint: (shown) => paintHill(shown, top),
  };
  const sun = { x: axis, y: top + 0.02 * unit, radius: (isTall ? 0.24 : 0.16) * unit, tone: 1 } as const;
  const setting = discPart(sun, { from: { x: 0, y: 0.3 * unit }, delay: 0.4 });
  const other = wing && { ...wing, near: layout.width - wing.near, far: layout.width - wing.far };
  const sides = wing && other ? [...wingDisc(frame, 0), ...wingDisc({ ...frame, wing: other }, 1)] : [];
  return { paintGround: () => {}, parts: [...sides, ...(layout.height > top ? [setting, land] : [])] };
};

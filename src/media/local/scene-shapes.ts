import type { Amount } from "../../domain/ai/scene-design.ts";
import type { Color } from "../../timeline/overlay.ts";
import type { Box } from "../drawing/box.ts";
import { paintDisc } from "./backdrop.ts";
import { mix, toCss } from "./color-schemes.ts";
import type { PartMotion, SceneFrame, SceneLayers, ScenePart } from "./scene-frame.ts";
import { paintHill } from "./scene-stages.ts";

/** A scene that shows words alone, with shapes below them. Those of the ground keep its color nearly. */
export function shapeScene(frame: SceneFrame): SceneLayers {
  const { place, variant, amount } = frame.design;
  if (place === "end") return ending(frame);
  if (amount) return counted(frame, amount);
  return arrangements[variant % arrangements.length]!(frame); // safe because the remainder is one of the indexes
}

type Arrangement = (frame: SceneFrame) => SceneLayers;

/** From below, one after another. In the opening all are seen from the first frame on. */
function rising({ layout, design, rise }: SceneFrame, box: Box, at: number): PartMotion {
  const distance = design.place === "opening" ? 0.3 * rise : layout.height - box.y;
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

const dotCount = 6;

/** A field of dots through which a wave runs. */
function dots({ layout: { unit } }: SceneFrame, left: number, top: number): ScenePart {
  const step = unit * 0.062;
  const largest = step * 0.3;
  const side = (dotCount - 1) * step + 2 * largest;
  return {
    box: { x: left - largest, y: top - largest, width: side, height: side },
    motion: { from: { x: 0, y: 0 }, delay: 0 },
    isLoop: true,
    paint: (frame, phase) => {
      const { context } = frame;
      context.fillStyle = quietColor(frame, 0.28);
      for (let at = 0; at < dotCount ** 2; at++) {
        const [column, row] = [at % dotCount, Math.floor(at / dotCount)];
        const wave = Math.sin(2 * Math.PI * (phase - (column + row) / 8));
        context.beginPath();
        context.arc(left + column * step, top + row * step, step * (0.18 + 0.1 * wave), 0, 2 * Math.PI);
        context.fill();
      }
    },
  };
}

/** Above the words, where there is room for it. */
function upperDots(frame: SceneFrame, left: number): readonly ScenePart[] {
  const { layout, bottom, isTall } = frame;
  return isTall ? [dots(frame, left, layout.height - bottom + 0.05 * layout.unit)] : [];
}

const disc = (x: number, y: number, radius: number, tone: 0 | 1) => ({
  box: { x: x - 1.2 * radius, y: y - 1.2 * radius, width: 2.4 * radius, height: 2.5 * radius },
  paint: (frame: SceneFrame) => paintDisc(frame, { x, y, radius }, frame.scheme.tones[tone], 0.16),
});

const discs: Arrangement = (frame) => {
  const { layout, axis, bottom, rise } = frame;
  const { unit } = layout;
  const large = disc(axis + 0.26 * unit, bottom - 0.28 * rise, 0.72 * rise, 0);
  const small = disc(axis - 0.3 * unit, bottom - 0.52 * rise, 0.24 * rise, 1);
  const sway = { x: 0, y: 0.028 * unit, seconds: 2, phase: 0 };
  return {
    paintGround: (shown) => paintRings(shown, axis - 0.5 * unit, bottom - 0.05 * unit, [0.34, 0.5, 0.66]),
    parts: [
      ...upperDots(frame, axis + 0.16 * unit),
      { ...large, motion: rising(frame, large.box, 0) },
      { ...small, motion: { ...rising(frame, small.box, 2), sway } },
    ],
  };
};

/** Half discs inside each other, which grow out of the ground. */
const arches: Arrangement = (frame) => {
  const { layout, axis, bottom, rise } = frame;
  const { tones, sky } = frame.scheme;
  const colors = [tones[0], tones[1], mix(sky, tones[0], 0.35), sky];
  return {
    paintGround: (shown) => paintRings(shown, axis, bottom + 0.1 * layout.unit, [0.84, 1, 1.16]),
    parts: colors.map((color, index): ScenePart => {
      const radius = rise * 0.9 * (1 - 0.24 * index);
      const below = layout.height + 0.05 * layout.unit;
      const box = { x: axis - radius, y: bottom - radius, width: 2 * radius, height: below - bottom + radius };
      const sway = { x: 0, y: 0.02 * layout.unit, seconds: 2, phase: index * 0.2 };
      return {
        ...{ box, motion: { ...rising(frame, box, 1.5 * index), sway } },
        paint: ({ context }) => {
          context.fillStyle = toCss(color);
          context.beginPath();
          context.arc(axis, bottom, radius, Math.PI, 2 * Math.PI);
          // where a target shows more than the others, the shape goes on
          context.lineTo(axis + radius, below);
          context.lineTo(axis - radius, below);
          context.closePath();
          context.fill();
        },
      };
    }),
  };
};

/** Columns that rise and fall with the beat of the scenes. */
const bars: Arrangement = (frame) => {
  const { layout, axis, bottom, rise, scheme } = frame;
  const { unit } = layout;
  const width = unit * 0.16;
  const heights = [0.5, 0.82, 0.6, 0.96, 0.72];
  return {
    paintGround: (shown) => paintRings(shown, axis + 0.5 * unit, bottom, [0.4, 0.58, 0.76]),
    parts: heights.map((share, index): ScenePart => {
      const height = share * 0.94 * rise;
      const left = axis + (index - heights.length / 2) * width * 1.12;
      const box = { x: left, y: bottom - height, width, height: layout.height - bottom + height + 0.05 * unit };
      const color = share > 0.9 ? scheme.tones[0] : mix(scheme.tones[1], scheme.sky, 0.16 * ((index * 2) % 4));
      const sway = { x: 0, y: 0.03 * unit, seconds: 1, phase: index * 0.3 };
      return {
        ...{ box, motion: { ...rising(frame, box, index), sway } },
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

/** Quarters of discs, as tiles. */
const tiles: Arrangement = (frame) => {
  const { layout, axis, bottom, rise, isTall, scheme } = frame;
  const rows = isTall ? 2 : 1;
  const side = (rise * 0.98) / rows;
  // from edge to edge
  const left = Math.ceil(axis / side);
  const columns = left + Math.ceil((layout.width - axis) / side);
  const { tones, sky } = scheme;
  const pairs: readonly (readonly [Color, Color])[] = [
    [tones[0], tones[1]],
    [mix(sky, tones[0], 0.3), tones[0]],
    [tones[1], mix(sky, tones[1], 0.3)],
  ];
  return {
    paintGround: () => {},
    parts: [
      ...upperDots(frame, axis - 0.42 * layout.unit),
      ...Array.from({ length: rows * columns }, (_, at): ScenePart => {
        const [row, column] = [Math.floor(at / columns), at % columns];
        const x = Math.round(axis + (column - left) * side);
        const y = Math.round(bottom - (rows - row) * side);
        const isLowest = row === rows - 1;
        const box = { x, y, width: side, height: isLowest ? layout.height - y + 0.05 * layout.unit : side };
        // columns as a whole: their tiles stay together
        const sway = { x: 0, y: 0.015 * layout.unit, seconds: 2, phase: column * 0.15 };
        const [ground, quarter] = pairs[(column + 2 * row) % pairs.length]!; // safe because the remainder is an index
        const corner = (column + row * 3) % 4;
        return {
          ...{ box, motion: { ...rising(frame, box, (5 * column) / columns + 0.6 * (rows - row)), sway } },
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
      }),
    ],
  };
};

/** The number of the words as dots, in columns that rise one after another and swing. */
function counted(frame: SceneFrame, { filled, total }: Amount): SceneLayers {
  const { layout, axis, bottom, rise, isTall, scheme } = frame;
  const { unit } = layout;
  const [width, height] = [(isTall ? 0.72 : 0.86) * unit, 0.86 * rise];
  const least = Math.ceil(Math.sqrt((total * width) / height));
  const rows = Math.ceil(total / least);
  const columns = Math.ceil(total / rows);
  const cell = Math.min(width / columns, height / rows, 0.24 * unit);
  const [left, top] = [axis - (columns * cell) / 2, bottom - 0.08 * rise - rows * cell];
  const radius = 0.38 * cell;
  const parts = Array.from({ length: columns }, (_, column): ScenePart => {
    const box = { x: left + column * cell, y: top, width: cell, height: rows * cell };
    const sway = { x: 0, y: 0.012 * unit, seconds: 2, phase: column * 0.12 };
    return {
      ...{ box, motion: { ...rising(frame, box, (7 * column) / columns), sway } },
      paint: ({ context }) => {
        for (let row = 0; row < rows; row++) {
          const at = row * columns + column;
          if (at >= total) break;
          context.fillStyle = at < filled ? toCss(scheme.tones[0]) : quietColor(frame, 0.3);
          context.beginPath();
          context.arc(box.x + cell / 2, top + (row + 0.5) * cell, radius, 0, 2 * Math.PI);
          context.fill();
        }
      },
    };
  });
  return { paintGround: (shown) => paintRings(shown, axis + 0.5 * unit, bottom, [0.4, 0.58, 0.76]), parts };
}

const arrangements: readonly Arrangement[] = [discs, arches, bars, tiles];

/** A low sun behind a hill: the words have the rest. */
const ending: Arrangement = (frame) => {
  const { layout, axis, bottom, isTall } = frame;
  const { unit } = layout;
  // low frames have words down to their edge
  const top = isTall ? bottom - 0.26 * unit : layout.height - 0.03 * unit;
  const hill = { x: 0, y: top - 2, width: layout.width, height: layout.height - top + 3 };
  const sun = disc(axis, top + 0.02 * unit, 0.24 * unit, 1);
  const land: ScenePart = {
    ...{ box: hill, motion: { from: { x: 0, y: 0 }, delay: 0 } },
    paint: (shown) => paintHill(shown, top),
  };
  const setting: ScenePart = { ...sun, motion: { from: { x: 0, y: 0.3 * unit }, delay: 0.4 } };
  return { paintGround: () => {}, parts: isTall ? [setting, land] : [land] };
};

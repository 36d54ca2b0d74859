import { paintDisc } from "./backdrop.ts";
import { mix, toCss } from "./color-schemes.ts";
import type { SceneFrame } from "./scene-frame.ts";

type Paint = (frame: SceneFrame) => void;

/** Shapes of a scene that shows words alone: the ground's keep its color nearly, so that words stay readable on them. */
type Arrangement = { readonly ground: Paint; readonly accents: Paint };

const quiet = 0.1;

const quietColor = ({ scheme }: SceneFrame, share = quiet) => toCss(mix(scheme.sky, scheme.tones[0], share));

/** How far a shape rises over the lowest row that all targets show. */
const rise = ({ layout, isTall }: SceneFrame): number => layout.unit * (isTall ? 0.46 : 0.24);

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

function paintDots(frame: SceneFrame, left: number, top: number): void {
  const { context, layout } = frame;
  const step = layout.unit * 0.062;
  context.fillStyle = quietColor(frame, 0.2);
  for (let row = 0; row < 6; row++) {
    for (let column = 0; column < 6; column++) {
      context.beginPath();
      context.arc(left + column * step, top + row * step, step * 0.14, 0, 2 * Math.PI);
      context.fill();
    }
  }
}

function paintHalfDisc(frame: SceneFrame, x: number, radius: number, color: string): void {
  const { context, bottom, layout } = frame;
  const foot = bottom + layout.unit * 0.02;
  context.fillStyle = color;
  context.beginPath();
  context.arc(x, foot, radius, Math.PI, 2 * Math.PI);
  context.closePath();
  context.fill();
  // where a target shows more than the others, the shape goes on
  context.fillRect(x - radius, foot - 1, 2 * radius, layout.height - foot + 1);
}

const discs: Arrangement = {
  ground: (frame) => {
    const { layout, axis, bottom } = frame;
    paintRings(frame, axis - 0.5 * layout.unit, bottom - 0.05 * layout.unit, [0.28, 0.42, 0.56]);
    paintDots(frame, axis + 0.14 * layout.unit, layout.height - bottom + 0.06 * layout.unit);
  },
  accents: (frame) => {
    const { layout, axis, bottom, scheme, isTall } = frame;
    const radius = rise(frame);
    paintDisc(
      frame,
      { x: axis + 0.24 * layout.unit, y: bottom - radius * (isTall ? 0.45 : 0.1), radius },
      scheme.tones[0],
      0.16,
    );
    const small = { x: axis - 0.26 * layout.unit, y: bottom - radius * 0.35, radius: radius * 0.34 };
    paintDisc(frame, small, scheme.tones[1], 0.16);
  },
};

const arches: Arrangement = {
  ground: (frame) => paintRings(frame, frame.axis, frame.bottom + 0.1 * frame.layout.unit, [0.62, 0.78, 0.94]),
  accents: (frame) => {
    const { axis, scheme } = frame;
    const radius = rise(frame);
    const colors = [scheme.tones[0], scheme.tones[1], scheme.sky];
    for (const [index, color] of colors.entries()) paintHalfDisc(frame, axis, radius * (1 - 0.3 * index), toCss(color));
  },
};

const bars: Arrangement = {
  ground: (frame) => {
    const { layout, axis, bottom } = frame;
    paintDots(frame, axis - 0.42 * layout.unit, layout.height - bottom + 0.05 * layout.unit);
    paintRings(frame, axis + 0.5 * layout.unit, bottom, [0.3, 0.46]);
  },
  accents: (frame) => {
    const { context, layout, axis, bottom, scheme } = frame;
    const width = layout.unit * 0.17;
    const heights = [0.45, 0.8, 0.6, 1].map((share) => share * rise(frame));
    for (const [index, height] of heights.entries()) {
      const left = axis + (index - heights.length / 2) * width * 1.12;
      context.beginPath();
      context.roundRect(left, bottom - height, width, layout.height, width / 2);
      context.fillStyle = toCss(
        index === heights.length - 1 ? scheme.tones[0] : mix(scheme.tones[1], scheme.sky, 0.18 * (2 - index)),
      );
      context.fill();
    }
  },
};

const quarters: Arrangement = {
  ground: (frame) => {
    const { layout, axis, bottom } = frame;
    paintRings(frame, axis + 0.46 * layout.unit, layout.height - bottom + 0.02 * layout.unit, [0.16, 0.28]);
  },
  accents: (frame) => {
    const { context, layout, axis, bottom, scheme } = frame;
    const side = rise(frame) * 0.94;
    const colors = [scheme.tones[0], scheme.tones[1], scheme.tones[0], mix(scheme.tones[1], scheme.sky, 0.35)];
    for (const [index, color] of colors.entries()) {
      const left = axis + (index - 2) * side * 0.62;
      const size = side * 0.62;
      const isUp = index % 2 === 0;
      context.fillStyle = toCss(color);
      context.beginPath();
      context.moveTo(left, bottom);
      context.arc(left + (isUp ? size : 0), bottom, size, isUp ? Math.PI : -Math.PI / 2, isUp ? 1.5 * Math.PI : 0);
      context.lineTo(left + (isUp ? size : 0), bottom);
      context.closePath();
      context.fill();
      context.fillRect(left, bottom - 1, size, layout.height - bottom + 1);
    }
  },
};

/** Nothing lies behind its words but the ground, over a low horizon. */
const ending: Arrangement = {
  ground: () => {},
  accents: ({ context, axis, bottom, scheme, isTall, layout: { unit } }) => {
    const radius = 1.5 * unit;
    context.fillStyle = toCss(scheme.tones[0]);
    context.beginPath();
    context.arc(axis, bottom + radius - unit * (isTall ? 0.3 : 0.07), radius, 0, 2 * Math.PI);
    context.fill();
  },
};

const arrangements: readonly Arrangement[] = [discs, arches, bars, quarters];

// safe because the remainder is one of the indexes
const arrangementOf = ({ design: { place, variant } }: SceneFrame): Arrangement =>
  place === "end" ? ending : arrangements[variant % arrangements.length]!;

export const paintGroundShapes = (frame: SceneFrame): void => arrangementOf(frame).ground(frame);
export const paintAccents = (frame: SceneFrame): void => arrangementOf(frame).accents(frame);

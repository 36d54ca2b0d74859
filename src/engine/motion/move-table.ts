import type { ActiveMove, Direction, Move } from "../timeline/motion.ts";

/** The types of layers that a move can have: `all` are texts, images, shapes and groups. */
export type MoveType = "all" | "text" | "shape";

/** The parameters of a move besides its name, `seconds` and `easing`. */
export type MoveParameter = Exclude<keyof Move, "name" | "seconds" | "easing">;

export type MoveRole = "enter" | "exit" | "loop";

/** A move that a layer can have, by its name. */
export type NamedMove = { readonly role: MoveRole; readonly name: string };

/** What a unit is shifted by, relative to rest. Lengths are in pixels of the frame, angles in degrees. */
export type MovePose = {
  readonly x: number;
  readonly y: number;
  readonly scaleX: number;
  readonly scaleY: number;
  readonly rotation: number;
  readonly alpha: number;
  readonly blur: number;
  /** The visible part of the unit's box; see `revealOf`. */
  readonly reveal?: Reveal | undefined;
  /** The part of the outline that is drawn, from its start. */
  readonly trim?: number | undefined;
  /** A bright band that crosses the layer: its position and its strength, 0..1. */
  readonly shine?: { readonly at: number; readonly strength: number } | undefined;
  /** The point that it turns and scales about, as shares of the unit's box. Default: that of the layer, or the middle. */
  readonly anchor?: Move["anchor"];
};

/** A part of a box from one side, or by one form. `inverse`: the other part. */
export type Reveal = { readonly direction: Direction; readonly share: number; readonly inverse: boolean };

export const restingPose: MovePose = { x: 0, y: 0, scaleX: 1, scaleY: 1, rotation: 0, alpha: 1, blur: 0 };

/** What a move acts on. */
export type Moved = {
  /** The box of the unit and that of its layer, in pixels of the frame. */
  readonly unit: { readonly width: number; readonly height: number };
  readonly frame: { readonly width: number; readonly height: number };
  /** The distance from the layer's rest to outside of the frame on each side. */
  readonly away: Readonly<Record<"up" | "down" | "left" | "right", number>>;
};

/** For what does not depend on sizes. */
export const noSize: Moved = {
  unit: { width: 0, height: 0 },
  frame: { width: 0, height: 0 },
  away: { up: 0, down: 0, left: 0, right: 0 },
};

/** A step of a move: `progress` is 0 hidden and 1 at rest, or the phase of a loop. */
type Step = Moved & {
  readonly move: ActiveMove;
  readonly progress: number;
  readonly eased: number;
  /** 1 for an entrance, -1 for an exit, which continues in its direction. */
  readonly sign: 1 | -1;
};

type Defaults = Pick<Move, "seconds"> & Partial<Omit<Move, "name" | "seconds">>;

export type MoveEntry = {
  readonly roles: readonly MoveRole[];
  readonly type: MoveType;
  readonly defaults: Defaults;
  readonly parameters: readonly MoveParameter[];
  readonly directions?: readonly Direction[];
  /** Absent for a move of the words themselves, which text drawing does. */
  readonly pose?: (step: Step) => Partial<MovePose>;
};

const both: readonly MoveRole[] = ["enter", "exit"];
const sides: readonly Direction[] = ["up", "down", "left", "right"];
const units = ["by", "order", "overlap"] as const;

/** The unit vector of a movement. */
const vectors: Readonly<Record<Direction, readonly [x: number, y: number]>> = {
  up: [0, -1],
  down: [0, 1],
  left: [-1, 0],
  right: [1, 0],
  diagonal: [Math.SQRT1_2, -Math.SQRT1_2],
  circle: [0, 0],
  clock: [0, 0],
};

/** The offset from rest, before it in the direction of an entrance and beyond it for an exit. */
function offset({ move, sign }: Step, distance: number) {
  const [x, y] = vectors[move.direction ?? "up"];
  return { x: -sign * x * distance, y: -sign * y * distance };
}

const shorter = ({ frame }: Step): number => Math.min(frame.width, frame.height);

/** Moving units are opaque at half of their way, so that the second half of the move is visible. */
const fading = ({ move, progress }: Step): number => (move.fade === false ? 1 : Math.min(1, 2 * progress));

/** The scale from which an entrance comes, or to which an exit goes. */
const farScale = ({ move: { from = 0, to = from }, sign }: Step): number => (sign > 0 ? from : to);

const wave = (turns: number): number => Math.sin(2 * Math.PI * turns);

const mix = (from: number, to: number, share: number): number => from + (to - from) * share;

/** The moves that act on a layer or a unit as a whole. */
export const moveTable = {
  fade: {
    roles: both,
    type: "all",
    defaults: { seconds: 0.6, easing: "linear" },
    parameters: units,
    pose: ({ eased }) => ({ alpha: eased }),
  },
  slide: {
    roles: both,
    type: "all",
    defaults: { seconds: 0.6, direction: "up" },
    parameters: [...units, "direction", "distance", "fade"],
    directions: sides,
    pose: (step) => ({
      ...offset(step, (step.move.distance ?? 0.1 * shorter(step)) * (1 - step.eased)),
      alpha: fading(step),
    }),
  },
  fly: {
    roles: both,
    type: "all",
    defaults: { seconds: 0.6, direction: "up", fade: false },
    parameters: [...units, "direction", "fade"],
    directions: sides,
    pose: (step) => ({
      ...offset(step, awayOf(step) * (1 - step.eased)),
      alpha: step.move.fade === true ? fading(step) : 1,
    }),
  },
  scale: {
    roles: both,
    type: "all",
    defaults: { seconds: 0.6, from: 0 },
    parameters: [...units, "from", "to", "fade", "anchor"],
    pose: (step) => ({ ...evenly(mix(farScale(step), 1, step.eased)), alpha: fading(step) }),
  },
  pop: {
    roles: both,
    type: "all",
    defaults: { seconds: 0.6, easing: "out-back", from: 0 },
    parameters: [...units, "from", "to", "fade", "anchor"],
    pose: (step) => ({ ...evenly(mix(farScale(step), 1, step.eased)), alpha: fading(step) }),
  },
  drop: {
    roles: both,
    type: "all",
    defaults: { seconds: 0.8, easing: "out-bounce", direction: "down" },
    parameters: [...units, "direction", "distance", "fade"],
    directions: sides,
    pose: (step) => ({
      ...offset(step, (step.move.distance ?? 0.25 * step.frame.height) * (1 - step.eased)),
      alpha: step.move.fade === false ? 1 : Math.min(1, 5 * step.progress),
    }),
  },
  blur: {
    roles: both,
    type: "all",
    defaults: { seconds: 0.6 },
    parameters: [...units, "amount", "fade"],
    pose: (step) => ({
      blur: (step.move.amount ?? 0.03 * shorter(step)) * (1 - step.eased),
      alpha: step.move.fade === false ? 1 : step.eased,
    }),
  },
  spin: {
    roles: both,
    type: "all",
    defaults: { seconds: 0.6, amount: 180, from: 0 },
    parameters: [...units, "amount", "from", "to", "fade", "anchor", "reversed"],
    pose: (step) => ({
      ...evenly(mix(farScale(step), 1, step.eased)),
      rotation: -step.sign * turn(step) * (step.move.amount ?? 180) * (1 - step.eased),
      alpha: fading(step),
    }),
  },
  flip: {
    roles: both,
    type: "all",
    defaults: { seconds: 0.6, direction: "up" },
    parameters: [...units, "direction", "fade", "anchor"],
    directions: sides,
    pose: (step) => {
      const across = isAcross(step);
      const { scale, shift } = turnedCard(step.eased);
      const length = across ? step.unit.width : step.unit.height;
      const [x, y] = vectors[step.move.direction ?? "up"];
      const moved = step.sign * shift * length;
      return { ...(across ? { scaleX: scale } : { scaleY: scale }), x: x * moved, y: y * moved, alpha: fading(step) };
    },
  },
  wipe: {
    roles: both,
    type: "all",
    defaults: { seconds: 0.6, direction: "right" },
    parameters: [...units, "direction"],
    directions: [...sides, "diagonal", "circle", "clock"],
    pose: ({ move, eased, sign }) => {
      const { direction = "right" } = move;
      // an edge continues in its direction; a circle shrinks again
      const isInverse = sign < 0 && direction !== "circle";
      return { reveal: { direction, share: isInverse ? 1 - eased : eased, inverse: isInverse } };
    },
  },
  squash: {
    roles: both,
    type: "all",
    defaults: { seconds: 0.8, easing: "out-elastic", amount: 0.5 },
    parameters: [...units, "amount", "fade", "anchor"],
    pose: (step) => {
      const { amount = 0.5 } = step.move;
      const rest = 1 - step.eased;
      return { scaleX: 1 + amount * rest, scaleY: 1 - amount * rest, alpha: fading(step) };
    },
  },
  draw: {
    roles: both,
    type: "shape",
    defaults: { seconds: 0.8 },
    parameters: ["reversed"],
    pose: ({ eased }) => ({ trim: Math.min(1, Math.max(0, eased)) }),
  },
  reveal: {
    roles: both,
    type: "text",
    defaults: { seconds: 0.6, by: "line", direction: "up", fade: false },
    parameters: [...units, "direction", "fade"],
    directions: sides,
    pose: (step) => {
      const length = 1.1 * (isAcross(step) ? step.unit.width : step.unit.height);
      return { ...offset(step, length * (1 - step.eased)), alpha: step.move.fade === true ? fading(step) : 1 };
    },
  },
  typewriter: {
    roles: both,
    type: "text",
    defaults: { seconds: 1.2, by: "letter", overlap: 0, easing: "linear", caret: false },
    parameters: ["by", "order", "caret"],
    pose: ({ progress }) => ({ alpha: progress > 0 ? 1 : 0 }),
  },
  highlight: {
    roles: both,
    type: "text",
    defaults: { seconds: 0.8, by: "line", easing: "linear" },
    parameters: [...units, "color"],
    pose: ({ progress }) => ({ alpha: progress >= 0.5 ? 1 : 0 }),
  },
  count: {
    roles: both,
    type: "text",
    defaults: { seconds: 1.2, from: 0 },
    parameters: ["from"],
  },
  wave: {
    roles: both,
    type: "text",
    defaults: { seconds: 1, by: "letter", easing: "linear" },
    parameters: [...units, "distance", "fade"],
    pose: (step) => ({
      y: -(step.move.distance ?? 0.5 * step.unit.height) * Math.sin(2 * Math.PI * step.eased) * (1 - step.eased),
      alpha: fading(step),
    }),
  },
  scramble: {
    roles: both,
    type: "text",
    defaults: { seconds: 1, by: "letter", easing: "linear" },
    parameters: [...units],
    pose: ({ progress }) => ({ alpha: progress > 0 ? 1 : 0 }),
  },
  tracking: {
    roles: both,
    type: "text",
    defaults: { seconds: 0.8, amount: 0.5 },
    parameters: ["amount", "fade"],
    pose: (step) => ({ alpha: fading(step) }),
  },
} satisfies Record<string, MoveEntry>;

/** The distance that takes a layer out of the frame, against its direction for an entrance and along it for an exit. */
function awayOf({ move, sign, away }: Step): number {
  const opposite = { up: "down", down: "up", left: "right", right: "left" } as const;
  const direction =
    move.direction === "down" || move.direction === "left" || move.direction === "right" ? move.direction : "up";
  return away[sign > 0 ? opposite[direction] : direction];
}

const isAcross = ({ move: { direction } }: Step): boolean => direction === "left" || direction === "right";

/** The half length of a card as a share of the distance from which it is seen. */
const nearness = 0.25;

/** A card that turns by a quarter: its projection, and the shift of its middle towards the half that is nearer. */
function turnedCard(eased: number): { readonly scale: number; readonly shift: number } {
  const angle = ((1 - Math.max(0, eased)) * Math.PI) / 2;
  const near = nearness * Math.sin(angle);
  const scale = Math.cos(angle) / (1 - near ** 2);
  return { scale, shift: (scale * near) / 2 };
}

const evenly = (scale: number) => ({ scaleX: Math.max(0, scale), scaleY: Math.max(0, scale) });

const turn = ({ move }: Step): 1 | -1 => (move.reversed ? -1 : 1);

export type LoopEntry = Omit<MoveEntry, "roles" | "type" | "pose"> & {
  readonly pose: (step: Step) => Partial<MovePose>;
};

/** Loops begin and end at rest: their phase runs from 0 to 1. */
export const loopTable = {
  pulse: {
    defaults: { seconds: 1, amount: 0.08 },
    parameters: ["amount", "anchor"],
    pose: ({ move, progress }) => evenly(1 + (move.amount ?? 0.08) * Math.sin(Math.PI * progress) ** 2),
  },
  float: {
    defaults: { seconds: 3, direction: "up" },
    parameters: ["distance", "direction"],
    directions: sides,
    pose: (step) => {
      const along = (step.move.distance ?? 0.015 * shorter(step)) * wave(step.progress);
      const [x, y] = vectors[step.move.direction ?? "up"];
      return { x: x * along, y: y * along };
    },
  },
  wiggle: {
    defaults: { seconds: 1, amount: 5, frequency: 2, ramp: 0 },
    parameters: ["amount", "frequency", "ramp", "anchor"],
    pose: ({ move, progress }) => ({
      rotation: (move.amount ?? 5) * wave(turnsOf(move, 2) * progress) * swell(progress, move.ramp ?? 0),
    }),
  },
  spin: {
    defaults: { seconds: 4 },
    parameters: ["reversed", "anchor"],
    pose: (step) => ({ rotation: turn(step) * 360 * step.progress }),
  },
  shake: {
    defaults: { seconds: 1, frequency: 8, direction: "right" },
    parameters: ["distance", "frequency", "ramp", "direction"],
    directions: sides,
    pose: (step) => {
      const { move, progress } = step;
      const strength = move.ramp === undefined ? Math.sin(Math.PI * progress) : swell(progress, move.ramp);
      const swing = wave(turnsOf(move, 8) * progress) * strength;
      const [x, y] = vectors[step.move.direction ?? "right"];
      const distance = step.move.distance ?? 0.01 * shorter(step);
      return { x: x * distance * swing, y: y * distance * swing };
    },
  },
  blink: {
    defaults: { seconds: 1, amount: 1 },
    parameters: ["amount"],
    pose: ({ move, progress }) => ({ alpha: progress >= 0.25 && progress < 0.75 ? 1 - (move.amount ?? 1) : 1 }),
  },
  zoom: {
    defaults: { seconds: 6, amount: 0.1 },
    parameters: ["amount", "anchor"],
    pose: ({ move, progress }) => evenly(1 + ((move.amount ?? 0.1) * (1 - Math.cos(2 * Math.PI * progress))) / 2),
  },
  pan: {
    defaults: { seconds: 6, direction: "right" },
    parameters: ["distance", "direction"],
    directions: sides,
    pose: (step) => {
      const along = (step.move.distance ?? 0.03 * shorter(step)) * wave(step.progress);
      const [x, y] = vectors[step.move.direction ?? "right"];
      return { x: x * along, y: y * along };
    },
  },
  shine: {
    defaults: { seconds: 2, amount: 0.65 },
    parameters: ["amount", "reversed"],
    // the band crosses in the first half, and the layer rests in the second
    pose: ({ move, progress }) => {
      if (progress >= 0.5) return {};
      const strength = Math.min(1, Math.max(0, move.amount ?? 0.65));
      return { shine: { at: move.reversed ? 1 - 2 * progress : 2 * progress, strength } };
    },
  },
} satisfies Record<string, LoopEntry>;

/** Grows evenly in the first share of a round, and falls in the last. */
const swell = (progress: number, ramp: number): number =>
  ramp > 0 ? Math.min(1, progress / ramp, (1 - progress) / ramp) : 1;

/** Whole swings in a loop, so that it ends at rest; `frequency` is in swings per second. */
const turnsOf = ({ frequency, seconds }: ActiveMove, byDefault: number): number =>
  Math.max(1, Math.round((frequency ?? byDefault) * seconds));

import type { Box } from "../drawing/box.ts";
import { easingOf } from "../motion/easing.ts";
import { type Moved, type MovePose, noSize, restingPose } from "../motion/move-table.ts";
import { findMove, moveDefaults, poseAt, unitProgress, withDefaults } from "../motion/moves.ts";
import type { TextUnit } from "../text/units.ts";
import type { ActiveMove, MoveUnit } from "../timeline/motion.ts";
import type { DrawnState } from "../timeline/overlay.ts";

/** The moves of a layer on one frame: those of the whole, and those of its lines, words or letters. */
export type SplitMoves = {
  readonly whole: readonly ActiveMove[];
  /** At most one kind of unit at a time: moves of other units act on the whole. */
  readonly units: readonly ActiveMove[];
  readonly by: MoveUnit;
};

/** Fills in the defaults of the moves. */
export function splitMoves({ content, moves = [] }: DrawnState): SplitMoves {
  const full = moves.map((move) => withDefaults(move, move.kind));
  const isOfUnits = (move: ActiveMove) => content.kind === "text" && unitOf(move) !== "layer";
  const by = unitOf(full.find(isOfUnits));
  const units = full.filter((move) => isOfUnits(move) && unitOf(move) === by);
  return { whole: full.filter((move) => !units.includes(move)), units, by };
}

/** The words spread from the middle, so each letter moves. */
const unitOf = (move: ActiveMove | undefined): MoveUnit =>
  move?.name === "tracking" ? "letter" : (move?.by ?? moveDefaults.by);

/** The pose of a whole layer. */
export function poseOfWhole(moves: readonly ActiveMove[], moved: Moved): MovePose {
  return moves.map((move) => poseAt(move, move.progress, moved)).reduce(joinPoses, restingPose);
}

const joinPoses = (one: MovePose, other: MovePose): MovePose => ({
  x: one.x + other.x,
  y: one.y + other.y,
  scaleX: one.scaleX * other.scaleX,
  scaleY: one.scaleY * other.scaleY,
  rotation: one.rotation + other.rotation,
  alpha: one.alpha * other.alpha,
  blur: Math.hypot(one.blur, other.blur),
  reveal: other.reveal ?? one.reveal,
  trim: other.trim ?? one.trim,
  shine: other.shine ?? one.shine,
  anchor: other.anchor ?? one.anchor,
});

/** A unit on one frame. `progress` is that of its first move: 0 hidden, 1 at rest. */
export type UnitState = MovePose & { readonly progress: number };

type UnitOptions = Omit<Moved, "unit"> & { readonly text: string };

/** The states of all units of a text, in their order. */
export function statesOfUnits(
  { units: moves }: SplitMoves,
  units: readonly TextUnit[],
  { text, ...moved }: UnitOptions,
): readonly UnitState[] {
  const ranks = moves.map((move) => ranksOf(move, units.length, text));
  return units.map((unit, index) => {
    const poses = moves.map((move, at) => {
      const { ranks: order, count } = ranks[at]!;
      const progress = unitProgress(progressOfWhole(move), order[index]!, count, overlapOf(move));
      const pose = poseAt(move, progress, { ...moved, unit: unit.box });
      return {
        ...spread(pose, move, progress, { unit, units }),
        progress: move.kind === "exit" ? 1 - progress : progress,
      };
    });
    const [first] = poses;
    return { ...poses.reduce(joinPoses, restingPose), progress: first?.progress ?? 1 };
  });
}

/** The names whose units appear at once or in steps: their easing spreads the units over the time. */
const inSteps: ReadonlySet<string> = new Set(["typewriter", "scramble", "highlight"]);

function progressOfWhole({ name, progress, easing = "linear" }: ActiveMove): number {
  return inSteps.has(name) ? Math.min(1, Math.max(0, easingOf(easing)(progress))) : progress;
}

/** A typewriter shows its units one after another in equal steps. */
const overlapOf = (move: ActiveMove): number => (move.name === "tracking" ? 1 : (move.overlap ?? moveDefaults.overlap));

/** Letters of `tracking` lie further from the middle of their line. */
function spread(pose: MovePose, move: ActiveMove, progress: number, { unit, units }: Spread): MovePose {
  if (move.name !== "tracking") return pose;
  const line = units.filter((other) => other.line === unit.line).map(({ box }) => box);
  const left = Math.min(...line.map(({ x }) => x));
  const right = Math.max(...line.map(({ x, width }) => x + width));
  const away = middleOf(unit.box) - (left + right) / 2;
  // the pose's alpha shows how far it is in eased time
  const rest = 1 - easedOf(move, progress);
  return { ...pose, x: pose.x + away * (move.amount ?? 0.5) * rest };
}

type Spread = { readonly unit: TextUnit; readonly units: readonly TextUnit[] };

const middleOf = ({ x, width }: Box): number => x + width / 2;

function easedOf(move: ActiveMove, progress: number): number {
  const fade: ActiveMove = { ...move, name: "fade" };
  return poseAt(fade, progress, noSize).alpha;
}

type Ranks = { readonly ranks: readonly number[]; readonly count: number };

/** The position of each unit in the order of a move; units at the same distance from the middle share one. */
function ranksOf({ order = moveDefaults.order, kind, name }: ActiveMove, length: number, text: string): Ranks {
  const indices = Array.from({ length }, (_, index) => index);
  const half = Math.ceil(length / 2);
  const isTurned = kind === "exit" && name === "typewriter";
  switch (order) {
    case "forward":
    case "backward":
      return { ranks: (order === "backward") !== isTurned ? indices.toReversed() : indices, count: length };
    case "center":
      return { ranks: indices.map((index) => Math.max(half - 1 - index, index - Math.floor(length / 2))), count: half };
    case "edges":
      return { ranks: indices.map((index) => Math.min(index, length - 1 - index)), count: half };
    case "random":
      return { ranks: shuffled(indices, text), count: length };
  }
}

/** The same order in every run: it is seeded by the text. */
function shuffled(indices: readonly number[], text: string): readonly number[] {
  const keys = indices.map((index) => hash(`${index} ${text}`));
  const sorted = indices.toSorted((one, other) => keys[one]! - keys[other]! || one - other);
  const ranks = new Array<number>(indices.length);
  for (const [rank, index] of sorted.entries()) ranks[index] = rank;
  return ranks;
}

/** FNV-1a, mixed so that neighboring inputs differ in all bits. */
export function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  value = Math.imul(value ^ (value >>> 16), 0x45d9f3b);
  return (value ^ (value >>> 16)) >>> 0;
}

/** True if a name moves the words themselves. */
export const hasMove = (moves: readonly ActiveMove[], name: string): ActiveMove | undefined =>
  moves.find((move) => move.name === name && findMove(name, move.kind) !== undefined);

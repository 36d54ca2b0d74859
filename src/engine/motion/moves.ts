import type { ActiveMove, Move } from "../timeline/motion.ts";
import { type Easing, easingOf } from "./easing.ts";
import {
  type LoopEntry,
  loopTable,
  type Moved,
  type MoveEntry,
  type MovePose,
  type MoveRole,
  moveTable,
  restingPose,
} from "./move-table.ts";

const moves: Readonly<Record<string, MoveEntry>> = moveTable;
const loops: Readonly<Record<string, LoopEntry>> = loopTable;

/** The entry of a name; undefined for a name that has none in this role. In the middle, a loop plays once. */
export function findMove(name: string, role: MoveRole | "middle"): MoveEntry | undefined {
  if (isLoop(name, role)) return { roles: ["loop"], type: "all", ...loops[name]! };
  const entry = role !== "loop" && Object.hasOwn(moves, name) ? moves[name] : undefined;
  // an entrance ends at rest
  return entry && role !== "exit" ? { ...entry, parameters: entry.parameters.filter((each) => each !== "to") } : entry;
}

const isLoop = (name: string, role: MoveRole | "middle"): boolean =>
  (role === "loop" || role === "middle") && Object.hasOwn(loops, name);

/** The general defaults of entrances, exits and motions. */
export const moveDefaults = {
  easing: "out-cubic",
  by: "layer",
  overlap: 0.6,
  order: "forward",
  direction: "up",
} as const;

/** The defaults of a name in place of absent parameters. */
export function withDefaults<M extends Move>(move: M, role: MoveRole | "middle"): M {
  const { seconds: _, ...defaults } = findMove(move.name, role)?.defaults ?? { seconds: 0 };
  return { ...defaults, ...move };
}

/** The default of `seconds`. */
export const defaultSeconds = (name: string, role: MoveRole | "middle"): number =>
  findMove(name, role)?.defaults.seconds ?? 0.6;

/** The pose of one unit at its own progress through a move. */
export function poseAt(move: ActiveMove, unitProgress: number, moved: Moved): MovePose {
  const { kind } = move;
  const entry = findMove(move.name, kind);
  if (!entry?.pose) return restingPose;
  // an exit is its entrance backwards, in the same direction
  const progress = kind === "exit" ? 1 - unitProgress : unitProgress;
  const ease: Easing = isLoop(move.name, kind) ? (x) => x : easingOf(move.easing ?? moveDefaults.easing);
  const step = {
    ...moved,
    move,
    progress,
    eased: ease(progress),
    sign: kind === "exit" ? (-1 as const) : (1 as const),
  };
  return { ...restingPose, ...entry.pose(step), ...(move.anchor && { anchor: move.anchor }) };
}

/** The progress of unit `position` of `count` in the order of the move: each lasts the same, and they overlap. */
export function unitProgress(progress: number, position: number, count: number, overlap: number): number {
  const step = 1 - overlap;
  const length = 1 / (1 + (count - 1) * step);
  return Math.min(1, Math.max(0, (progress - position * step * length) / length));
}

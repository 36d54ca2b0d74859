import { luminanceOf } from "../../platform/colors.ts";
import { isGradient } from "../timeline/motion.ts";
import type { DrawnState, Overlay } from "../timeline/overlay.ts";
import type { FrameRate } from "../timeline/time.ts";
import { noSize } from "./move-table.ts";
import { poseAt } from "./moves.ts";
import { runsOf } from "./runs.ts";
import { stateOn } from "./state.ts";

/** More frames of one layer are not looked at: a warning may take little time. */
const maxFrames = 3600;

/** A change of the relative luminance that counts, as in WCAG 2.2 (general flash). */
const minChange = 0.1;
const maxDarker = 0.8;

/**
 * The most flashes that a layer declares in any second, with the second in which they begin. A flash is a pair of
 * opposing changes of luminance, as if the layer filled its box over black. `fps` are the frames of a second that is
 * seen, if the layer's clock runs at another speed.
 */
export function flashesOf(
  overlay: Overlay,
  rate: FrameRate,
  fps = rate.num / rate.den,
): { readonly perSecond: number; readonly at: number } {
  const frames = runsOf(overlay, rate)
    .flatMap(({ start, end, isMoving }) =>
      isMoving ? Array.from({ length: end - start }, (_, index) => start + index) : start,
    )
    .slice(0, maxFrames);
  const turns = turnsOf(frames.map((frame) => ({ frame, level: levelOf(stateOn(overlay, frame, rate)) })));
  let most = { perSecond: 0, at: 0 };
  for (const [index, frame] of turns.entries()) {
    const inSecond = turns.slice(index).filter((other) => other < frame + fps).length;
    const perSecond = Math.floor(inSecond / 2);
    if (perSecond > most.perSecond) most = { perSecond, at: frame / fps };
  }
  return most;
}

/** The frames on which the luminance has changed by enough, in the other direction than before. */
function turnsOf(levels: readonly { readonly frame: number; readonly level: number }[]): readonly number[] {
  const turns: number[] = [];
  let [extreme, direction] = [levels[0]?.level ?? 0, 0];
  for (const { frame, level } of levels) {
    const change = level - extreme;
    const isEnough = Math.abs(change) >= minChange && Math.min(level, extreme) < maxDarker;
    if (isEnough && Math.sign(change) !== direction) {
      turns.push(frame);
      direction = Math.sign(change);
      extreme = level;
    } else if (direction === 0 ? false : Math.sign(change) === direction) extreme = level;
  }
  return turns;
}

/** The luminance of a layer over black. Pictures count as half bright. */
function levelOf(state: DrawnState | undefined): number {
  if (!state) return 0;
  const { content, opacity, effects, moves = [] } = state;
  const color = content.kind === "shape" ? content.fill : content.kind === "text" ? content.style.fontColor : undefined;
  const base = color && !isGradient(color) ? luminanceOf(color) * color.alpha : 0.5;
  const alpha = moves.reduce((product, move) => product * poseAt(move, move.progress, noSize).alpha, opacity);
  return Math.min(1, base * (effects?.filter?.brightness ?? 1)) * alpha;
}

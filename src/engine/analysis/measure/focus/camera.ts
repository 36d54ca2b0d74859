import { blockDifference } from "../frames/block-matching.ts";
import type { SmallFrame } from "../frames/small-frame.ts";
import { blockSide, edgesIn } from "./blocks.ts";

/** The movement of the background: a pan, and a zoom around the middle of the frame. In pixels. */
type Camera = { readonly x: number; readonly y: number; readonly zoom: number };

const searchRange = 12;
const fitRounds = 4;
/** A block whose movement differs this much from the background's, in pixels, counts half. */
const halfAt = 1.5;

/** The position in the earlier frame of a position in the later one, relative to it. Whole pixels. */
export const displacementAt = ({ x, y, zoom }: Camera, left: number, top: number, { width, height }: SmallFrame) => ({
  x: Math.round(x + zoom * (left - width / 2)),
  y: Math.round(y + zoom * (top - height / 2)),
});

/** The movement that most of the frame shares. */
export function cameraBetween(before: SmallFrame, after: SmallFrame): Camera {
  const pan = panBetween(before, after);
  const moves = movesNear(pan, before, after);
  let camera: Camera = { ...pan, zoom: 0 };
  for (let round = 0; round < fitRounds; round++) camera = fitted(moves, camera);
  return camera;
}

/** The movement of a block, and its position relative to the middle of the frame. */
type Move = {
  readonly atX: number;
  readonly atY: number;
  readonly x: number;
  readonly y: number;
  readonly weight: number;
};

type Pan = Pick<Camera, "x" | "y">;

const moveRange = 4;
const minEdges = 4;
const maxEdges = 20;
const maxDifference = 12;

/** The moves of the blocks that have enough edges to show them. */
function movesNear(pan: Pan, before: SmallFrame, after: SmallFrame): readonly Move[] {
  const { width, height } = after;
  const moves: Move[] = [];
  for (let top = 0; top <= height - blockSide; top += blockSide) {
    for (let left = 0; left <= width - blockSide; left += blockSide) {
      const edges = edgesIn(after, left, top);
      if (edges < minEdges) continue;
      const found = bestMatch(pan, before, after, { left, top });
      if (found.difference > maxDifference) continue;
      const [atX, atY] = [left + blockSide / 2 - width / 2, top + blockSide / 2 - height / 2];
      moves.push({ atX, atY, x: found.x, y: found.y, weight: Math.min(edges, maxEdges) });
    }
  }
  return moves;
}

type Corner = { readonly left: number; readonly top: number };

function bestMatch(pan: Pan, before: SmallFrame, after: SmallFrame, { left, top }: Corner) {
  const { width, height } = after;
  let best = { x: 0, y: 0, difference: Number.POSITIVE_INFINITY };
  for (let y = pan.y - moveRange; y <= pan.y + moveRange; y++) {
    for (let x = pan.x - moveRange; x <= pan.x + moveRange; x++) {
      if (left + x < 0 || left + x > width - blockSide || top + y < 0 || top + y > height - blockSide) continue;
      const difference = blockDifference(before, after, left, top, left + x, top + y, best.difference);
      if (difference < best.difference) best = { x, y, difference };
    }
  }
  return best;
}

/** Below this spread of the blocks, in square pixels, a zoom cannot be told from a pan. */
const minSpread = 100;

/** The least-squares fit over the blocks that move approximately as `camera` does. */
function fitted(moves: readonly Move[], camera: Camera): Camera {
  const weighted = moves.map((move) => {
    const { atX, atY, x, y, weight } = move;
    const off = Math.hypot(x - camera.x - camera.zoom * atX, y - camera.y - camera.zoom * atY);
    return { ...move, weight: weight / (1 + (off / halfAt) ** 4) };
  });
  const total = weighted.reduce((sum, { weight }) => sum + weight, 0);
  if (total === 0) return camera;
  const mean = (of: (move: Move) => number) => weighted.reduce((sum, move) => sum + move.weight * of(move), 0) / total;
  const [atX, atY, x, y] = [
    mean((move) => move.atX),
    mean((move) => move.atY),
    mean((move) => move.x),
    mean((move) => move.y),
  ];
  const spread = mean((move) => (move.atX - atX) ** 2 + (move.atY - atY) ** 2);
  const together = mean((move) => (move.atX - atX) * (move.x - x) + (move.atY - atY) * (move.y - y));
  const zoom = spread > minSpread ? together / spread : 0;
  return { x: x - zoom * atX, y: y - zoom * atY, zoom };
}

/** The displacement of the background. Differences are capped, so that moving foreground counts little. */
function panBetween(before: SmallFrame, after: SmallFrame): Pan {
  let best = { x: 0, y: 0, difference: panDifference(before, after, 0, 0) };
  const search = (centerX: number, centerY: number, range: number, step: number) => {
    for (let y = centerY - range; y <= centerY + range; y += step) {
      for (let x = centerX - range; x <= centerX + range; x += step) {
        const difference = panDifference(before, after, x, y);
        if (difference < best.difference - 1e-3) best = { x, y, difference };
      }
    }
  };
  search(0, 0, searchRange, 3);
  search(best.x, best.y, 2, 1);
  return best;
}

const maxPanDifference = 16;
const panMargin = searchRange + 2;

function panDifference(before: SmallFrame, after: SmallFrame, byX: number, byY: number): number {
  const { width, height } = after;
  let sum = 0;
  let count = 0;
  for (let y = panMargin; y < height - panMargin; y += 3) {
    const a = (y + byY) * width + byX;
    const b = y * width;
    for (let x = panMargin; x < width - panMargin; x += 3) {
      sum += Math.min(maxPanDifference, Math.abs(before.luma[a + x]! - after.luma[b + x]!));
      count++;
    }
  }
  return count === 0 ? 0 : sum / count;
}

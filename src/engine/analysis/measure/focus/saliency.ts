import { blockDifference } from "../frames/block-matching.ts";
import type { SmallFrame } from "../frames/small-frame.ts";
import { blockGrid, blockSide, edgesIn, excessOf, mapBlocks, meanOf, medianOf, totalOf } from "./blocks.ts";
import { cameraBetween, displacementAt } from "./camera.ts";

/** The saliency of a frame's blocks, summed over its columns and over its rows. */
export type Saliency = { readonly columns: Float32Array; readonly rows: Float32Array };

/** The saliency of a single frame, by its contents. */
export type Detail = Saliency & {
  /** 0..1 for each block: how much it differs from the rest of the frame. */
  readonly odds: Float32Array;
};

const maxMotion = 24;
const noiseOfMotion = 2;
/** The weight of motion in a block that looks like the rest of the frame, relative to the oddest block. */
const plainShare = 0.3;

/**
 * Movement against the background, which the camera may move. It counts most where the frame is salient: water, leaves
 * and passing things move, too.
 */
export function motionSaliency(before: SmallFrame, after: SmallFrame, { odds }: Detail): Saliency {
  const camera = cameraBetween(before, after);
  const differences = mapBlocks(after, (left, top) => {
    const by = displacementAt(camera, left + blockSide / 2, top + blockSide / 2, after);
    let best = maxMotion;
    for (let y = -1; y <= 1; y++) {
      for (let x = -1; x <= 1; x++) {
        best = Math.min(best, blockDifference(before, after, left, top, left + by.x + x, top + by.y + y, best));
      }
    }
    return best;
  });
  const motion = excessOf(differences, noiseOfMotion);
  return sumUp(
    motion.map((value, index) => value * (plainShare + odds[index]!)),
    after,
  );
}

const maxEdges = 30;
const maxColor = 80;

/** Saliency by colors and edges, and by colors that occur in one position only. */
export function detailSaliency(frame: SmallFrame): Detail {
  const { width, luma, cb, cr } = frame;
  const blocks: Blocks = {
    level: mapBlocks(frame, (left, top) => meanOf(luma, width, left, top, blockSide)),
    blue: mapBlocks(frame, (left, top) => meanOf(cb, width / 2, left / 2, top / 2, blockSide / 2)),
    red: mapBlocks(frame, (left, top) => meanOf(cr, width / 2, left / 2, top / 2, blockSide / 2)),
    edges: mapBlocks(frame, (left, top) => edgesIn(frame, left, top)),
  };
  const plain = sumUp(plainDetail(blocks), frame);
  const odds = oddsOf(blocks, blockGrid(frame).columns);
  const odd = sumUp(odds, frame);
  return { odds, columns: balanced(plain.columns, odd.columns), rows: balanced(plain.rows, odd.rows) };
}

/** The mean level, colors and edges of each block. */
type Blocks = {
  readonly level: Float32Array;
  readonly blue: Float32Array;
  readonly red: Float32Array;
  readonly edges: Float32Array;
};

/** The difference of each block from the middle of all, and its edges. */
function plainDetail({ level, blue, red, edges }: Blocks): Float32Array {
  const [usualLevel, usualBlue, usualRed] = [level, blue, red].map(medianOf) as [number, number, number];
  const colors = level.map((value, index) =>
    Math.min(
      maxColor,
      Math.abs(value - usualLevel) / 2 + 2 * (Math.abs(blue[index]! - usualBlue) + Math.abs(red[index]! - usualRed)),
    ),
  );
  const colorDetail = excessOf(colors, 4);
  return excessOf(
    edges.map((value) => Math.min(maxEdges, value)),
    1,
  ).map((value, index) => value / maxEdges + colorDetail[index]! / maxColor);
}

/** Blocks that differ by less than this look alike. */
const alikeWithin = 15;
const maxUnlike = 60;
const maxEdgesUnlike = 40;
/** The penalty of contents that are spread over the frame. */
const spreadCost = 2;
/** The share of the blocks that counts as ground. */
const groundShare = 0.6;

/**
 * How much each block differs from the others, if those like it are close together: Perazzi et al., Saliency Filters
 * (2012), without its division into regions.
 */
function oddsOf({ level, blue, red, edges }: Blocks, columns: number): Float32Array {
  const rows = level.length / columns;
  const positions = Array.from(level, (_, index) => ({ x: index % columns, y: Math.floor(index / columns) }));
  // blocks overlap: every other one of every other row covers the frame
  const others = positions.flatMap(({ x, y }, index) => (x % 2 === 0 && y % 2 === 0 ? [index] : []));
  const capped = edges.map((value) => Math.min(maxEdgesUnlike, value));
  const odds = level.map((_, index) => {
    let [unlike, alike, sumX, sumY, squares] = [0, 1e-9, 0, 0, 0];
    for (const other of others) {
      const [l, e] = [(level[index]! - level[other]!) / 2, capped[index]! - capped[other]!];
      const [b, r] = [1.5 * (blue[index]! - blue[other]!), 1.5 * (red[index]! - red[other]!)];
      const square = l * l + b * b + r * r + e * e;
      unlike += Math.min(maxUnlike, Math.sqrt(square));
      const weight = Math.exp(-square / (2 * alikeWithin ** 2));
      const { x, y } = positions[other]!;
      alike += weight;
      sumX += weight * x;
      sumY += weight * y;
      squares += weight * (x * x + y * y);
    }
    // 1 for contents that are spread over the whole frame
    const spread = (12 * (squares / alike - (sumX / alike) ** 2 - (sumY / alike) ** 2)) / (columns ** 2 + rows ** 2);
    return (unlike / others.length) * Math.exp(-spreadCost * spread);
  });
  const ground = odds.toSorted()[Math.floor(groundShare * odds.length)]!;
  const highest = Math.max(...odds) - ground;
  return odds.map((value) => (highest > 0 ? Math.max(0, value - ground) / highest : 0));
}

/** The sum of two saliencies with equal weights. */
function balanced(one: Float32Array, other: Float32Array): Float32Array {
  const [oneTotal, otherTotal] = [totalOf(one) + 1e-9, totalOf(other) + 1e-9];
  return one.map((value, index) => value / oneTotal + other[index]! / otherTotal);
}

function sumUp(values: Float32Array, frame: SmallFrame): Saliency {
  const grid = blockGrid(frame);
  const columns = new Float32Array(grid.columns);
  const rows = new Float32Array(grid.rows);
  for (const [index, value] of values.entries()) {
    columns[index % columns.length]! += value;
    rows[Math.floor(index / columns.length)]! += value;
  }
  return { columns, rows };
}

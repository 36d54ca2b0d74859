import type { Size } from "../../../compiler/filters/geometry.ts";

/** A frame scaled down for analysis: yuv420p in BT.709, limited range. */
export type SmallFrame = {
  readonly width: number;
  readonly height: number;
  readonly luma: Uint8Array;
  readonly cb: Uint8Array;
  readonly cr: Uint8Array;
  /** Luma at a quarter of width and height. */
  readonly coarse: Uint8Array;
  /** Histograms of luma, Cb and Cr, 16 bins each; each sums to one third. */
  readonly histogram: Float32Array;
  /** Black bars, symmetric in pixels per side: `x` at left and right, or `y` at top and bottom. */
  readonly bars: { readonly x: number; readonly y: number };
};

/** Wraps the yuv420p bytes of a frame without copying them. */
export function smallFrame(bytes: Uint8Array, { width, height }: Size): SmallFrame {
  const area = width * height;
  const luma = bytes.subarray(0, area);
  const cb = bytes.subarray(area, area + area / 4);
  const cr = bytes.subarray(area + area / 4, area + area / 2);
  const coarse = downscaleByFour(luma, width, height);
  const bars = findBars(coarse, width / 4, height / 4);
  return { width, height, luma, cb, cr, coarse, bars, histogram: histogramOf(luma, cb, cr) };
}

function downscaleByFour(luma: Uint8Array, width: number, height: number): Uint8Array {
  const columns = width / 4;
  const coarse = new Uint8Array((columns * height) / 4);
  for (let index = 0; index < coarse.length; index++) {
    const start = 4 * Math.floor(index / columns) * width + 4 * (index % columns);
    let sum = 0;
    for (let row = 0; row < 4; row++) {
      const at = start + row * width;
      sum += luma[at]! + luma[at + 1]! + luma[at + 2]! + luma[at + 3]!;
    }
    coarse[index] = sum >> 4;
  }
  return coarse;
}

/** Luma below this level counts as black. */
const blackBelow = 24;

/** The width of the bars at the sides, else the height of those at top and bottom, rounded up to blocks of eight. */
function findBars(coarse: Uint8Array, columns: number, rows: number): { x: number; y: number } {
  const isBlack = (column: number, row: number) => coarse[row * columns + column]! < blackBelow;
  const x = barSize(columns, (column) => every(rows, (row) => isBlack(column, row)));
  if (x > 0) return { x, y: 0 };
  return { x: 0, y: barSize(rows, (row) => every(columns, (column) => isBlack(column, row))) };
}

const every = (count: number, test: (index: number) => boolean): boolean => {
  for (let index = 0; index < count; index++) if (!test(index)) return false;
  return true;
};

/** Zero from three eighths on each side: then the frame itself is dark. */
function barSize(count: number, isBlackLine: (index: number) => boolean): number {
  const max = (3 * count) / 8;
  let lines = 0;
  while (lines < max && isBlackLine(lines) && isBlackLine(count - 1 - lines)) lines++;
  return lines < max ? 8 * Math.ceil(lines / 2) : 0;
}

const binCount = 16;

/** Splits each level between its two nearest bins, so that a small shift in brightness changes the histogram little. */
const binsByLevel = (binWidth: number, firstLevel: number) =>
  Array.from({ length: 256 }, (_, level) => {
    const position = Math.min(binCount - 1.001, Math.max(0, (level - firstLevel) / binWidth - 0.5));
    return { bin: Math.floor(position), share: position % 1 };
  });

const lumaBins = binsByLevel(16, 0);
// chroma stays near the middle of its range, so its bins are half as wide
const chromaBins = binsByLevel(8, 64);

function histogramOf(luma: Uint8Array, cb: Uint8Array, cr: Uint8Array): Float32Array {
  const histogram = new Float32Array(3 * binCount);
  addLevels(histogram, 0, luma, lumaBins);
  addLevels(histogram, binCount, cb, chromaBins);
  addLevels(histogram, 2 * binCount, cr, chromaBins);
  return histogram;
}

function addLevels(
  histogram: Float32Array,
  firstBin: number,
  levels: Uint8Array,
  bins: ReturnType<typeof binsByLevel>,
): void {
  const counts = new Uint32Array(256);
  for (let index = 0; index < levels.length; index++) counts[levels[index]!]!++;
  for (const [level, { bin, share }] of bins.entries()) {
    const weight = counts[level]! / (3 * levels.length);
    histogram[firstBin + bin]! += weight * (1 - share);
    histogram[firstBin + bin + 1]! += weight * share;
  }
}

/** The factor by which a dark picture can be brightened: 1, 2 or 4. */
export function gainOf({ luma }: SmallFrame): number {
  const bright = luma.toSorted()[Math.floor(luma.length * 0.95)]! - 16;
  return bright < 48 ? 4 : bright < 96 ? 2 : 1;
}

/** Differences of levels and colors times `gain`. */
export function brightened(frame: SmallFrame, gain: number): SmallFrame {
  if (gain === 1) return frame;
  const away = (plane: Uint8Array, from: number) =>
    plane.map((level) => Math.max(0, Math.min(255, from + gain * (level - from))));
  return { ...frame, luma: away(frame.luma, 16), cb: away(frame.cb, 128), cr: away(frame.cr, 128) };
}

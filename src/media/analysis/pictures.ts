/** A film's picture, small: luma, and chroma at half its size, in the limited range of BT.709. */
export type SmallPicture = {
  readonly width: number;
  readonly height: number;
  readonly luma: Uint8Array;
  readonly cb: Uint8Array;
  readonly cr: Uint8Array;
  /** Luma at a quarter of the size. */
  readonly coarse: Uint8Array;
  /** Shares of luma levels and of chroma levels; each third sums to a third. */
  readonly histogram: Float32Array;
  /** Black bars on both sides, or above and below: how much of the width or height each takes. */
  readonly bars: { readonly x: number; readonly y: number };
};

export type PictureSize = { readonly width: number; readonly height: number };

/** Reads a picture as ffmpeg writes yuv420p; `bytes` are kept, not copied. */
export function smallPicture(bytes: Uint8Array, { width, height }: PictureSize): SmallPicture {
  const area = width * height;
  const luma = bytes.subarray(0, area);
  const cb = bytes.subarray(area, area + area / 4);
  const cr = bytes.subarray(area + area / 4, area + area / 2);
  const coarse = quartered(luma, width, height);
  const bars = barsOf(coarse, width / 4, height / 4);
  return { width, height, luma, cb, cr, coarse, bars, histogram: histogramOf(luma, cb, cr) };
}

function quartered(luma: Uint8Array, width: number, height: number): Uint8Array {
  const across = width / 4;
  const small = new Uint8Array((across * height) / 4);
  for (let index = 0; index < small.length; index++) {
    const start = 4 * Math.floor(index / across) * width + 4 * (index % across);
    let sum = 0;
    for (let row = 0; row < 4; row++) {
      const at = start + row * width;
      sum += luma[at]! + luma[at + 1]! + luma[at + 2]! + luma[at + 3]!;
    }
    small[index] = sum >> 4;
  }
  return small;
}

const darkest = 24;

/** How wide the black bars at both sides are, or else how high those above and below; in pixels, whole blocks of eight. */
function barsOf(coarse: Uint8Array, across: number, down: number): { x: number; y: number } {
  const columns = darkLines(across, (column) => every(down, (row) => coarse[row * across + column]! < darkest));
  if (columns > 0) return { x: columns, y: 0 };
  return { x: 0, y: darkLines(down, (row) => every(across, (column) => coarse[row * across + column]! < darkest)) };
}

const every = (count: number, test: (index: number) => boolean): boolean => {
  for (let index = 0; index < count; index++) if (!test(index)) return false;
  return true;
};

/** At most three eighths of the picture on each side: more is darkness. */
function darkLines(count: number, isDark: (index: number) => boolean): number {
  let lines = 0;
  while (lines < (3 * count) / 8 && isDark(lines) && isDark(count - 1 - lines)) lines++;
  return lines < (3 * count) / 8 ? 8 * Math.ceil(lines / 2) : 0;
}

const bins = 16;

/** Each level counts for the two bins it lies between: a slight shift of brightness is a slight change. */
const binsOf = (width: number, from: number) =>
  Array.from({ length: 256 }, (_, level) => {
    const place = Math.min(bins - 1.001, Math.max(0, (level - from) / width - 0.5));
    return { bin: Math.floor(place), share: place % 1 };
  });

const lumaPlaces = binsOf(16, 0);
// chroma keeps to the middle of its range, so its bins are half as wide
const chromaPlaces = binsOf(8, 64);

function histogramOf(luma: Uint8Array, cb: Uint8Array, cr: Uint8Array): Float32Array {
  const histogram = new Float32Array(3 * bins);
  count(histogram, 0, luma, lumaPlaces);
  count(histogram, bins, cb, chromaPlaces);
  count(histogram, 2 * bins, cr, chromaPlaces);
  return histogram;
}

function count(into: Float32Array, first: number, levels: Uint8Array, places: ReturnType<typeof binsOf>): void {
  const levelCounts = new Uint32Array(256);
  for (let index = 0; index < levels.length; index++) levelCounts[levels[index]!]!++;
  for (const [level, { bin, share }] of places.entries()) {
    const part = levelCounts[level]! / (3 * levels.length);
    into[first + bin]! += part * (1 - share);
    into[first + bin + 1]! += part * share;
  }
}

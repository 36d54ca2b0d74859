/** Of levels 0..1 of sRGB, by a table: relative luminance as in WCAG 2. */
const steps = 1024;
const table = Float32Array.from({ length: steps + 1 }, (_, index) => {
  const level = index / steps;
  return level <= 0.04045 ? level / 12.92 : ((level + 0.055) / 1.055) ** 2.4;
});

const linear = (level: number): number => table[level <= 0 ? 0 : level >= 1 ? steps : (level * steps + 0.5) | 0]!;

/** The linear red, green and blue of each pixel of a frame in BT.709 of limited range, yuv420p. */
export function toLinear(
  bytes: Uint8Array,
  { width, height }: { readonly width: number; readonly height: number },
  into: { readonly red: Float32Array; readonly green: Float32Array; readonly blue: Float32Array },
): void {
  const area = width * height;
  const columns = width / 2;
  for (let row = 0, index = 0; row < height; row++) {
    const chroma = area + (row >> 1) * columns;
    for (let column = 0; column < width; column++, index++) {
      const level = (bytes[index]! - 16) / 219;
      const cb = (bytes[chroma + (column >> 1)]! - 128) / 224;
      const cr = (bytes[chroma + area / 4 + (column >> 1)]! - 128) / 224;
      into.red[index] = linear(level + 1.5748 * cr);
      into.green[index] = linear(level - 0.1873 * cb - 0.4681 * cr);
      into.blue[index] = linear(level + 1.8556 * cb);
    }
  }
}

export const luminanceOf = (red: number, green: number, blue: number): number =>
  0.2126 * red + 0.7152 * green + 0.0722 * blue;

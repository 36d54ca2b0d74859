import type { FlashCounter } from "./flash-counter.ts";

type Light = { readonly red: Float32Array; readonly green: Float32Array; readonly blue: Float32Array };

/** A saturated red of WCAG 2.2, and the difference of colors between the states of a red flash, in CIE 1976 UCS. */
const redShare = 0.8;
const minDistance = 0.2;

/** Darker pixels count as colorless: encoding gives almost black pixels random colors. */
const minLight = 0.02;

/** Marks the pixels that turn to a saturated red, and from it to another color. */
export class RedChanges {
  private readonly isRed: Uint8Array;
  /** The color before the latest change, as u′ and v′. */
  private readonly u: Float32Array;
  private readonly v: Float32Array;

  constructor(
    private readonly flashes: FlashCounter,
    private readonly area: number,
  ) {
    this.isRed = new Uint8Array(area);
    this.u = new Float32Array(area);
    this.v = new Float32Array(area);
  }

  push({ red, green, blue }: Light, at: number, isFirst: boolean): void {
    for (let index = 0; index < this.area; index++) {
      const sum = red[index]! + green[index]! + blue[index]!;
      const isRed = sum >= minLight && red[index]! >= redShare * sum;
      const wasRed = this.isRed[index] === 1;
      if (isRed && wasRed && !isFirst) continue;
      const [u, v] = chromaticity(red[index]!, green[index]!, blue[index]!, sum);
      const distance = Math.hypot(u - this.u[index]!, v - this.v[index]!);
      if (isRed !== wasRed && !isFirst) {
        if (distance <= minDistance) continue;
        this.flashes.mark(index, isRed ? "up" : "down", at);
      }
      this.isRed[index] = isRed ? 1 : 0;
      this.u[index] = u;
      this.v[index] = v;
    }
    this.flashes.close(at);
  }
}

/** The u′ and v′ of white. */
const neutral = [0.1978, 0.4683] as const;

function chromaticity(red: number, green: number, blue: number, sum: number): readonly [u: number, v: number] {
  if (sum < minLight) return neutral;
  const x = 0.4124 * red + 0.3576 * green + 0.1805 * blue;
  const y = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  const z = 0.0193 * red + 0.1192 * green + 0.9505 * blue;
  const total = x + 15 * y + 3 * z;
  return [(4 * x) / total, (9 * y) / total];
}

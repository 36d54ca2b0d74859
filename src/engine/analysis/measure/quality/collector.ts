import type { Size } from "../../../compiler/filters/geometry.ts";
import type { PictureQuality, Region, Stretch } from "../../../ports.ts";
import { FlashCounter } from "./flash-counter.ts";
import { GroundMeter } from "./ground-meter.ts";
import { RedChanges } from "./red-changes.ts";

/** The limit of ffmpeg's blackdetect: almost all pixels have at most a tenth of the range. */
const blackBelow = 38;
const blackShare = 0.98;

/** Levels of 0..255 by which encoding changes a still picture. */
const stillDifference = 0.35;

/** Shorter stretches are cuts. */
const minStretchSeconds = 0.2;
const maxStretches = 100;

/** A general flash of WCAG 2: a change of a tenth of the greatest luminance, from or to a dark enough picture. */
const flashChange = 0.1;
const flashBelow = 0.8;

/** Measures the frames of a rendered video one by one. */
export class QualityCollector {
  private readonly area: number;
  private readonly light: { red: Float32Array; green: Float32Array; blue: Float32Array };
  private readonly luminance: Float32Array;
  /** The latest peak or valley of each pixel's luminance, and the direction of the change to it. */
  private readonly extreme: Float32Array;
  private readonly direction: Int8Array;
  private readonly flashes: FlashCounter;
  private readonly redFlashes: FlashCounter;
  private readonly red: RedChanges;
  private readonly grounds: GroundMeter;
  private readonly black: Stretch[] = [];
  private readonly frozen: Stretch[] = [];
  private blackSince: number | undefined;
  /** The unchanged picture, and its first time. */
  private still: { readonly luma: Uint8Array; readonly since: number } | undefined;
  private lastSeconds = 0;
  private frameSeconds = 0;
  private frames = 0;

  constructor(
    private readonly size: Size,
    regions: readonly Region[],
  ) {
    this.area = size.width * size.height;
    const plane = () => new Float32Array(this.area);
    this.light = { red: plane(), green: plane(), blue: plane() };
    this.luminance = plane();
    this.extreme = plane();
    this.direction = new Int8Array(this.area);
    this.flashes = new FlashCounter(this.area);
    this.redFlashes = new FlashCounter(this.area);
    this.red = new RedChanges(this.redFlashes, this.area);
    this.grounds = new GroundMeter(size, regions);
  }

  push(bytes: Uint8Array, atSeconds: number): void {
    toLinear(bytes, this.size, this.light);
    const { red, green, blue } = this.light;
    for (let index = 0; index < this.area; index++)
      this.luminance[index] = luminanceOf(red[index]!, green[index]!, blue[index]!);
    const isFirst = this.frames === 0;
    this.countFlashes(atSeconds, isFirst);
    this.red.push(this.light, atSeconds, isFirst);
    this.grounds.push(this.luminance, atSeconds);
    const luma = bytes.subarray(0, this.area);
    this.findBlack(luma, atSeconds);
    this.findStill(luma, atSeconds);
    if (!isFirst) this.frameSeconds = atSeconds - this.lastSeconds;
    this.lastSeconds = atSeconds;
    this.frames++;
  }

  /** Call once, after the last frame. */
  finish(): PictureQuality {
    const end = this.lastSeconds + this.frameSeconds;
    addStretch(this.black, this.blackSince, end);
    addStretch(this.frozen, this.still?.since, end);
    return {
      flashes: this.flashes.most(),
      redFlashes: this.redFlashes.most(),
      black: this.black,
      frozen: this.frozen,
      grounds: this.grounds.finish(),
    };
  }

  private countFlashes(atSeconds: number, isFirst: boolean): void {
    const { extreme, direction, luminance, area, flashes } = this;
    if (isFirst) {
      extreme.set(luminance);
      return;
    }
    for (let index = 0; index < area; index++) {
      const level = luminance[index]!;
      const before = extreme[index]!;
      const way = direction[index]!;
      if (level - before >= flashChange && before < flashBelow && way !== 1) {
        direction[index] = 1;
        extreme[index] = level;
        flashes.mark(index, "up", atSeconds);
      } else if (before - level >= flashChange && level < flashBelow && way !== -1) {
        direction[index] = -1;
        extreme[index] = level;
        flashes.mark(index, "down", atSeconds);
      } else if ((way === 1 && level > before) || (way === -1 && level < before)) extreme[index] = level;
    }
    flashes.close(atSeconds);
  }

  private findBlack(luma: Uint8Array, atSeconds: number): void {
    let dark = 0;
    for (let index = 0; index < luma.length; index++) if (luma[index]! <= blackBelow) dark++;
    if (dark >= blackShare * luma.length) this.blackSince ??= atSeconds;
    else {
      addStretch(this.black, this.blackSince, atSeconds);
      this.blackSince = undefined;
    }
  }

  private findStill(luma: Uint8Array, atSeconds: number): void {
    if (this.still && meanDifference(this.still.luma, luma) < stillDifference) return;
    addStretch(this.frozen, this.still?.since, atSeconds);
    this.still = { luma: luma.slice(), since: atSeconds };
  }
}

function addStretch(stretches: Stretch[], start: number | undefined, end: number): void {
  if (start === undefined || end - start < minStretchSeconds || stretches.length >= maxStretches) return;
  stretches.push({ start, end });
}

function meanDifference(one: Uint8Array, other: Uint8Array): number {
  let sum = 0;
  for (let index = 0; index < one.length; index++) sum += Math.abs(one[index]! - other[index]!);
  return sum / one.length;
}

/** The table maps levels 0..1 of sRGB to relative luminance as in WCAG 2. */
const steps = 1024;
const table = Float32Array.from({ length: steps + 1 }, (_, index) => {
  const level = index / steps;
  return level <= 0.04045 ? level / 12.92 : ((level + 0.055) / 1.055) ** 2.4;
});

const linear = (level: number): number => table[level <= 0 ? 0 : level >= 1 ? steps : (level * steps + 0.5) | 0]!;

/** The linear red, green and blue of each pixel of a frame in BT.709 of limited range, yuv420p. */
function toLinear(
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

const luminanceOf = (red: number, green: number, blue: number): number => 0.2126 * red + 0.7152 * green + 0.0722 * blue;

import { expect, test } from "bun:test";
import fc from "fast-check";
import { compositeOf } from "../../../src/engine/drawing/blend.ts";
import { type BlendMode, blendModes } from "../../../src/engine/timeline/motion.ts";
import { anyPixel, difference, type Pixel, paintedOn, pixelsOf, rowOf } from "../../support/pixels.ts";

type Rgb = readonly [number, number, number];

const hardLight = (backdrop: number, source: number) =>
  source <= 0.5 ? backdrop * 2 * source : backdrop + (2 * source - 1) * (1 - backdrop);

function softLight(backdrop: number, source: number): number {
  const root = backdrop <= 0.25 ? ((16 * backdrop - 12) * backdrop + 4) * backdrop : Math.sqrt(backdrop);
  return source <= 0.5
    ? backdrop - (1 - 2 * source) * backdrop * (1 - backdrop)
    : backdrop + (2 * source - 1) * (root - backdrop);
}

function dodge(backdrop: number, source: number): number {
  if (backdrop === 0) return 0;
  return source >= 1 ? 1 : Math.min(1, backdrop / (1 - source));
}

function burn(backdrop: number, source: number): number {
  if (backdrop >= 1) return 1;
  return source <= 0 ? 0 : 1 - Math.min(1, (1 - backdrop) / source);
}

/** W3C Compositing and Blending 1, section 9.1. */
const separable: { readonly [mode in BlendMode]?: (backdrop: number, source: number) => number } = {
  normal: (_, source) => source,
  multiply: (backdrop, source) => backdrop * source,
  screen: (backdrop, source) => backdrop + source - backdrop * source,
  overlay: (backdrop, source) => hardLight(source, backdrop),
  darken: Math.min,
  lighten: Math.max,
  "color-dodge": dodge,
  "color-burn": burn,
  "hard-light": hardLight,
  "soft-light": softLight,
  difference: (backdrop, source) => Math.abs(backdrop - source),
  exclusion: (backdrop, source) => backdrop + source - 2 * backdrop * source,
};

const luminosity = ([red, green, blue]: Rgb) => 0.3 * red + 0.59 * green + 0.11 * blue;
const saturation = (color: Rgb) => Math.max(...color) - Math.min(...color);
const mapRgb = ([red, green, blue]: Rgb, change: (level: number) => number): Rgb => [
  change(red),
  change(green),
  change(blue),
];

function clipColor(color: Rgb): Rgb {
  const light = luminosity(color);
  const [low, high] = [Math.min(...color), Math.max(...color)];
  const raised = low < 0 ? mapRgb(color, (level) => light + ((level - light) * light) / (light - low)) : color;
  if (high <= 1) return raised;
  return mapRgb(raised, (level) => light + ((level - light) * (1 - light)) / (high - light));
}

const withLuminosity = (color: Rgb, light: number): Rgb =>
  clipColor(mapRgb(color, (level) => level + light - luminosity(color)));

function withSaturation(color: Rgb, amount: number): Rgb {
  const [low, range] = [Math.min(...color), saturation(color)];
  return mapRgb(color, (level) => (range === 0 ? 0 : ((level - low) * amount) / range));
}

/** Section 9.2. */
const nonSeparable: { readonly [mode in BlendMode]?: (backdrop: Rgb, source: Rgb) => Rgb } = {
  hue: (backdrop, source) => withLuminosity(withSaturation(source, saturation(backdrop)), luminosity(backdrop)),
  saturation: (backdrop, source) => withLuminosity(withSaturation(backdrop, saturation(source)), luminosity(backdrop)),
  color: (backdrop, source) => withLuminosity(source, luminosity(backdrop)),
  luminosity: (backdrop, source) => withLuminosity(backdrop, luminosity(source)),
};

function blend(mode: BlendMode, backdrop: Rgb, source: Rgb): Rgb {
  const channel = separable[mode];
  if (!channel) return nonSeparable[mode]!(backdrop, source);
  return [channel(backdrop[0], source[0]), channel(backdrop[1], source[1]), channel(backdrop[2], source[2])];
}

function expected(mode: BlendMode, backdrop: Pixel, source: Pixel): readonly number[] {
  if (mode === "plus-lighter") return backdrop.map((level, channel) => Math.min(255, level + source[channel]!));
  const [alphaBackdrop, alphaSource] = [backdrop[3] / 255, source[3] / 255];
  const straight = ([red, green, blue, alpha]: Pixel): Rgb =>
    mapRgb([red, green, blue], (level) => (alpha === 0 ? 0 : level / alpha));
  const mixed = blend(mode, straight(backdrop), straight(source)).map(
    (level, channel) =>
      source[channel]! * (1 - alphaBackdrop) +
      backdrop[channel]! * (1 - alphaSource) +
      255 * alphaSource * alphaBackdrop * level,
  );
  return [...mixed, 255 * (alphaSource + alphaBackdrop - alphaSource * alphaBackdrop)];
}

test.each(blendModes.map((mode) => [mode]))("%s is the formula of W3C Compositing 1", (mode) => {
  const anyRow = fc.array(fc.tuple(anyPixel, anyPixel), { minLength: 50, maxLength: 50 });
  fc.assert(
    fc.property(anyRow, (pairs) => {
      const backdrop = rowOf(pairs.map(([pixel]) => pixel));
      const source = rowOf(pairs.map(([, pixel]) => pixel));
      const blended = paintedOn(pairs.length, 1, (context) => {
        context.drawImage(backdrop, 0, 0);
        context.globalCompositeOperation = compositeOf(mode);
        context.drawImage(source, 0, 0);
      });
      const [below, above] = [pixelsOf(backdrop), pixelsOf(source)];
      for (const [index, pixel] of pixelsOf(blended).entries()) {
        expect(difference(pixel, expected(mode, below[index]!, above[index]!))).toBeLessThanOrEqual(2);
      }
    }),
    { numRuns: 20 },
  );
});

import type { Color } from "../../../../platform/colors.ts";
import type { BlendMode } from "../../../timeline/motion.ts";
import type { Timeline } from "../../../timeline/timeline.ts";
import { applyCube, drawCube, fromRgb, mapRgb, solidColor, toRgb } from "../../filters/color.ts";
import { crop, type Point, paintOver, type Size } from "../../filters/geometry.ts";
import { resetTimestamps } from "../../filters/time.ts";
import type { Video } from "../../graph/graph.ts";
import { printNumber } from "../../graph/print.ts";

export type Ground = {
  /** The color below, undefined for none. */
  readonly ground: Color | undefined;
  /** The part of the canvas beside which lie bars. */
  readonly picture: Size & Point;
};

/**
 * Blends frames with the color below them, as W3C Compositing 1 defines it. Because that is one color, the result is a
 * function of the frame's own colors: of each channel, or of all three. Bars beside a picture stay as they are.
 */
export function blendWithGround(
  video: Video,
  mode: BlendMode = "normal",
  frames: number,
  { canvas, rate, ground: color, picture }: Pick<Timeline, "canvas" | "rate"> & Ground,
): Video {
  // over nothing, a color stays as it is
  if (mode === "normal" || !color) return video;
  const ground = sharesOf(color);
  const formula = separable[mode];
  const rgb = toRgb(video, canvas);
  const blended = fromRgb(
    formula
      ? mapRgb(
          rgb,
          ground.map((below) => `255*(${formula("(val/255)", below)})`),
        )
      : applyCube(
          rgb,
          drawCube(
            ([0, 1, 2] as const).map((channel) => wholeColor(mode, ground, channel)),
            rate,
          ),
        ),
    canvas,
  );
  if (picture.width === canvas.width && picture.height === canvas.height) return blended;
  const bars = solidColor(color, canvas, rate, frames);
  return paintOver(bars, resetTimestamps(crop(blended, picture, picture), rate), { x: picture.x, y: picture.y });
}

type Shares = readonly [number, number, number];

const sharesOf = ({ red, green, blue }: Color): Shares => [red / 255, green / 255, blue / 255];

const screen = (one: string, other: string) => `(${one}+${other}-${one}*${other})`;

const hardLight = (below: string, above: string) =>
  `if(lte(${above},0.5),2*${below}*${above},${screen(below, `(2*${above}-1)`)})`;

/** The distance to which `soft-light` brightens. */
const softer = (below: number) => (below <= 0.25 ? ((16 * below - 12) * below + 4) * below : Math.sqrt(below));

/** Expressions of a channel of the source `s`, for that of the ground `b`, 0..1. */
const separable: { readonly [Mode in BlendMode]?: (s: string, b: number) => string } = {
  multiply: (s, b) => `${printNumber(b)}*${s}`,
  screen: (s, b) => screen(printNumber(b), s),
  overlay: (s, b) => hardLight(s, printNumber(b)),
  darken: (s, b) => `min(${printNumber(b)},${s})`,
  lighten: (s, b) => `max(${printNumber(b)},${s})`,
  "color-dodge": (s, b) => (b === 0 ? "0" : `if(gte(${s},1),1,min(1,${printNumber(b)}/(1-${s})))`),
  "color-burn": (s, b) => (b === 1 ? "1" : `if(lte(${s},0),0,1-min(1,${printNumber(1 - b)}/${s}))`),
  "hard-light": (s, b) => hardLight(printNumber(b), s),
  "soft-light": (s, b) => {
    const [below, darker, brighter] = [b, b * (1 - b), softer(b) - b].map(printNumber);
    return `${below}+(2*${s}-1)*if(lte(${s},0.5),${darker},${brighter})`;
  },
  difference: (s, b) => `abs(${printNumber(b)}-${s})`,
  exclusion: (s, b) => `${printNumber(b)}+${s}-2*${printNumber(b)}*${s}`,
  "plus-lighter": (s, b) => `min(1,${printNumber(b)}+${s})`,
};

const lumaOf = ([red, green, blue]: readonly (string | number)[]) => `(0.3*${red}+0.59*${green}+0.11*${blue})`;

const largest = (values: readonly string[]) => `max(${values[0]},max(${values[1]},${values[2]}))`;
const smallest = (values: readonly string[]) => `min(${values[0]},min(${values[1]},${values[2]}))`;

/** The colors that the modes of whole colors take from both, before their luminosity is set; `ld(0..2)` is the source. */
const baseOf: { readonly [Mode in BlendMode]?: (ground: Shares) => readonly string[] } = {
  color: () => source,
  luminosity: (ground) => ground.map(printNumber),
  hue: (ground) => {
    const saturation = printNumber(Math.max(...ground) - Math.min(...ground));
    const [most, least] = [largest(source), smallest(source)];
    return source.map((channel) => `if(gt(${most},${least}),(${channel}-${least})*${saturation}/(${most}-${least}),0)`);
  },
  saturation: (ground) => {
    const [most, least] = [Math.max(...ground), Math.min(...ground)];
    const shares = ground.map((channel) => printNumber(most > least ? (channel - least) / (most - least) : 0));
    return shares.map((share) => `${share}*(${largest(source)}-${smallest(source)})`);
  },
};

const source = ["ld(0)", "ld(1)", "ld(2)"] as const;

/** An expression of one channel, 0..255, for a source in the variables 0 to 2 of ffmpeg's expressions. */
function wholeColor(mode: BlendMode, ground: Shares, channel: 0 | 1 | 2): string {
  const base = baseOf[mode]?.(ground) ?? source;
  const luma = lumaOf(mode === "luminosity" ? source : ground.map(printNumber));
  const moved = ["ld(3)", "ld(4)", "ld(5)"] as const;
  const steps = [
    ...base.map((value, index) => `st(${3 + index},${value})`),
    `st(6,${luma})`,
    `st(7,ld(6)-${lumaOf(moved)})`,
    ...moved.map((value, index) => `st(${3 + index},${value}+ld(7))`),
    `st(8,${smallest(moved)})`,
    `st(9,${largest(moved)})`,
    `st(7,${moved[channel]})`,
    // keeps the luminosity of a color that no display can show
    "st(7,if(lt(ld(8),0),ld(6)+(ld(7)-ld(6))*ld(6)/(ld(6)-ld(8)),ld(7)))",
    "if(gt(ld(9),1),ld(6)+(ld(7)-ld(6))*(1-ld(6))/(ld(9)-ld(6)),ld(7))",
  ];
  return `255*(${steps.map((step) => `(${step})`).join(";")})`;
}

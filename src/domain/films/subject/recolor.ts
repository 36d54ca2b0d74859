import { converter, formatHex, type Oklch, parse } from "culori";

const toOklch = converter("oklch");

/** Degrees. More looks like plastic. */
const mostTurn = 30;

/** Grays have no hue to turn. */
const leastChroma = 0.03;

const colorAttribute = /((?:fill|stroke|stop-color|flood-color)=")(#[0-9a-f]{3,8})(")/gi;

/** A drawing whose hues are turned towards a color by at most 30°. Light and chroma stay, so that it looks lit as before. */
export function recolored(svg: string, hex: string): string {
  const wanted = colored(hex);
  const own = mainHue(svg);
  if (!wanted || own === undefined) return svg;
  const turn = Math.max(-mostTurn, Math.min(mostTurn, difference(own, wanted.h)));
  return svg.replace(colorAttribute, (whole, before: string, color: string, after: string) => {
    const known = colored(color);
    return known ? `${before}${formatHex({ ...known, h: known.h + turn })}${after}` : whole;
  });
}

type Colored = Oklch & { readonly h: number };

/** A color with a hue. */
function colored(text: string): Colored | undefined {
  const color = parse(text);
  const known = color && color.alpha === undefined ? toOklch(color) : undefined;
  return known?.h !== undefined && known.c >= leastChroma ? { ...known, h: known.h } : undefined;
}

/** The mean hue of a drawing's colors, the strong ones most. */
function mainHue(svg: string): number | undefined {
  let x = 0;
  let y = 0;
  for (const [, , color] of svg.matchAll(colorAttribute)) {
    const known = colored(color!);
    if (!known) continue;
    x += known.c * Math.cos((known.h * Math.PI) / 180);
    y += known.c * Math.sin((known.h * Math.PI) / 180);
  }
  return x === 0 && y === 0 ? undefined : (Math.atan2(y, x) * 180) / Math.PI;
}

/** Degrees from one hue to another, the short way round. */
const difference = (from: number, to: number): number => ((((to - from) % 360) + 540) % 360) - 180;

import { parseColor } from "../../platform/colors.ts";
import { isObject, type Json, listOf, valuesOf, visitJson } from "./read.ts";

/** CSS colors by those that they replace. */
export type ColorMap = { readonly [old: string]: string };

type Channels = readonly [number, number, number];

/** Replaces colors of fills, strokes, gradients, grounds and texts, in the JSON itself. */
export function replaceColors(json: Json, colors: ColorMap): void {
  const known = new Map(
    Object.entries(colors).flatMap(([from, to]) => {
      const [old, next] = [channelsOf(from), channelsOf(to)];
      return old && next ? [[keyOf(old), next] as const] : [];
    }),
  );
  if (known.size === 0) return;
  const change = (values: unknown, at = 0): void => {
    if (!Array.isArray(values) || values.length < at + 3) return;
    const next = known.get(keyOf(values.slice(at, at + 3)));
    if (next) values.splice(at, 3, ...next);
  };
  visitJson(json, (object) => {
    const { ty, c, g, sc, t } = object;
    if ((ty === "fl" || ty === "st") && isObject(c)) for (const values of valuesOf(c)) change(values);
    if ((ty === "gf" || ty === "gs") && isObject(g) && isObject(g.k)) {
      const stops = typeof g.p === "number" ? g.p : 0;
      // four numbers each: the position, then the color
      for (const values of valuesOf(g.k)) for (let stop = 0; stop < stops; stop++) change(values, 4 * stop + 1);
    }
    if (ty === 1 && typeof sc === "string") object.sc = replacedHex(sc, known);
    if (ty === 2 && isObject(object.v)) for (const values of valuesOf(object.v)) change(values);
    for (const { s } of isObject(t) && isObject(t.d) ? listOf(t.d.k) : []) {
      if (isObject(s)) for (const values of [s.fc, s.sc]) change(values);
    }
  });
}

const keyOf = (channels: readonly unknown[]): string => channels.map((value) => Math.round(Number(value) * 255)).join();

function channelsOf(color: string): Channels | undefined {
  const parsed = parseColor(color);
  return parsed && [parsed.red / 255, parsed.green / 255, parsed.blue / 255];
}

function replacedHex(color: string, known: ReadonlyMap<string, Channels>): string {
  const channels = channelsOf(color);
  const next = channels && known.get(keyOf(channels));
  return next
    ? `#${next
        .map((value) =>
          Math.round(value * 255)
            .toString(16)
            .padStart(2, "0"),
        )
        .join("")}`
    : color;
}

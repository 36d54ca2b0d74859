import { parseColor } from "../../../platform/colors.ts";
import type { FillInput, KeyframeInput } from "../../exports/request/layers/inputs.ts";
import { easingOf } from "../reading/easings.ts";
import type { Property } from "../reading/property.ts";
import { type Bounds, rounded, within } from "../reading/rows.ts";

export type Size = { readonly width: number; readonly height: number };

const measured = /^\s*([+-]?(?:\d+\.?\d*|\.\d+))\s*(%|px|vw|vh|vmin|vmax|°|deg|s|hz)?\s*$/i;

/** A number with its unit: `50%`, `3.5 vmin`, `90°`. */
export function measureOf(property: Property): { readonly value: number; readonly unit: string } | undefined {
  const text = property.text;
  const [, value, unit = ""] = (text !== undefined && text.length < 60 && measured.exec(text)) || [];
  return value === undefined ? undefined : { value: Number(value), unit: unit.toLowerCase() };
}

/** Pixels; `whole` is what a percentage refers to, `frame` what vw and the other units do. */
export function pixelsOf(property: Property, whole: number, frame: Size): number | undefined {
  const found = measureOf(property);
  if (!found) return undefined;
  const { value, unit } = found;
  const { width, height } = frame;
  const units: Readonly<Record<string, number>> = {
    "%": whole,
    vw: width,
    vh: height,
    vmin: Math.min(width, height),
    vmax: Math.max(width, height),
  };
  const per = units[unit];
  return per === undefined ? value : (value * per) / 100;
}

/** A share: `50%` is 0.5, and so is 0.5. */
export function shareOf(property: Property): number | undefined {
  const found = measureOf(property);
  return found && (found.unit === "%" ? found.value / 100 : found.value);
}

/** Seconds, from `1.5`, `1.5 s`; `start` and `end` of a layer of `length` seconds, or a share of it. */
export function secondsOf(property: Property, length = 0): number | undefined {
  if (property.text === "start") return 0;
  if (property.text === "end") return length;
  const found = measureOf(property);
  return found && (found.unit === "%" ? (found.value / 100) * length : found.value);
}

/** True for a list of keyframes rather than a value. */
export const isKeyed = (property: Property): boolean =>
  Array.isArray(property.raw) && property.items.some((item) => item.isObject && item.at("value").raw !== undefined);

type Frames<Value> = KeyframeInput<Value>[];

/** The keyframes of a property, at most 200, in the order of their times; those without a value are left out. */
export function framesOf<Value>(
  property: Property,
  length: number,
  read: (value: Property) => Value | undefined,
): Frames<Value> {
  const frames = property.items.slice(0, 200).flatMap((frame): Frames<Value> => {
    const value = read(frame.at("value"));
    if (value === undefined) return [];
    const at = within(secondsOf(frame.at("time"), length) ?? 0, { min: 0, max: 3600 });
    const easing = easingOf(frame.at("easing").text ?? "linear") ?? "linear";
    return [
      { at: rounded(at), value, ...(easing !== "linear" && { easing: easing === "steps(1)" ? "step" : easing }) },
    ];
  });
  return frames.toSorted((one, other) => Number(one.at) - Number(other.at));
}

/** Numbers over time, within bounds. */
export const numberFrames = (
  property: Property,
  length: number,
  bounds: Bounds,
  read: (value: Property) => number | undefined,
): Frames<number> =>
  framesOf(property, length, (value) => {
    const number = read(value);
    return number === undefined ? undefined : rounded(within(number, bounds));
  });

export const colorOf = (property: Property): string | undefined => {
  const text = property.text?.trim();
  return text !== undefined && parseColor(text) ? text : undefined;
};

/** A list of color stops rather than a color. */
export const isGradient = (property: Property): boolean =>
  Array.isArray(property.raw) && property.items.some((item) => item.isObject && item.at("color").raw !== undefined);

/** A gradient between two points of the box, given as shares. */
export function gradientOf(stops: Property, element: Property, box: Size): FillInput | undefined {
  const read = stops.items.slice(0, 32).flatMap((stop) => {
    const color = colorOf(stop.at("color"));
    const at = shareOf(stop.at("offset"));
    return color === undefined || at === undefined ? [] : [{ at: within(at, { min: 0, max: 1 }), color }];
  });
  if (read.length < 2) return read[0]?.color;
  const mode = element.at("fill_mode").text;
  if (mode === "radial") return { type: "radial", stops: read };
  const point = (name: string, byDefault: number) => shareOf(element.at(name)) ?? byDefault;
  const x = (point("fill_x1", 1) - point("fill_x0", 0)) * box.width;
  const y = (point("fill_y1", 0.5) - point("fill_y0", 0.5)) * box.height;
  const angle = rounded(((Math.atan2(y, x) * 180) / Math.PI + 90 + 360) % 360);
  return { type: "linear", angle, stops: read };
}

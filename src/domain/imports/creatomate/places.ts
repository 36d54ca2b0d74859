import type { Property } from "../reading/property.ts";
import { rounded, within } from "../reading/rows.ts";
import type { Animated } from "./animations.ts";
import type { Element, Parent } from "./element.ts";
import { firstOf, limit, share } from "./element-properties.ts";
import { isKeyed, numberFrames, pixelsOf, type Size, shareOf } from "./values.ts";

export const isAbsentOrNull = (property: Property) => property.isAbsent;

/** The box of an element without its padding; `isOpen` for texts that are as wide and high as their words. */
export function boxOf(from: Property, type: string, { size, frame }: Parent) {
  const length = (name: "width" | "height") => {
    const property = from.at(name);
    if (isKeyed(property)) {
      const lengths = property.items.map((each) => pixelsOf(each.at("value"), size[name], frame));
      return type === "composition" ? Math.max(1, ...lengths.map((each = 0) => each)) : lengths.at(-1);
    }
    return isAbsentOrNull(property) ? undefined : pixelsOf(property, size[name], frame);
  };
  const [width, height] = [length("width"), length("height")];
  const isText = type === "text";
  const ratio = firstOf(from.at("aspect_ratio")).number;
  const padding = {
    x: pixelsOf(firstOf(from.at("x_padding")), size.width, frame) ?? 0,
    y: pixelsOf(firstOf(from.at("y_padding")), size.height, frame) ?? 0,
  };
  const outer = {
    width: width ?? (ratio && height !== undefined ? height * ratio : size.width),
    height: height ?? (ratio && width !== undefined ? width / ratio : size.height),
  };
  const fitted = ratio && width !== undefined && height !== undefined ? contained(outer, ratio) : outer;
  return {
    outer: fitted,
    inner: {
      width: within(fitted.width - 2 * padding.x, { min: 1, max: 16_384 }),
      height: within(fitted.height - 2 * padding.y, { min: 1, max: 16_384 }),
    },
    hasWidth: !isText || width !== undefined,
    hasHeight: !isText || height !== undefined,
    hasNone: width === undefined && height === undefined,
  };
}

const contained = ({ width, height }: Size, ratio: number): Size =>
  width / height > ratio ? { width: height * ratio, height } : { width, height: width / ratio };

const shareOfBox = (pixels: number | undefined, whole: number) => (pixels === undefined ? undefined : pixels / whole);

/** The center of an element's box and the point about which it turns. */
export function placeOf({ from, type, parent, length, keyframes }: Element, outer: Size) {
  const { size, frame } = parent;
  const anchorX = shareOf(firstOf(from.at("x_anchor"))) ?? 0.5;
  const anchorY = shareOf(firstOf(from.at("y_anchor"))) ?? 0.5;
  const along = (name: "x" | "y", side: "width" | "height", anchor: number, key: "centerX" | "centerY") => {
    const property = from.at(name);
    const whole = size[side];
    const center = (at: number, own: number) => rounded(within(at - anchor * own + own / 2 - whole / 2, limit));
    const read = (each: Property) => pixelsOf(each, whole, frame);
    const resting = isKeyed(property) ? read(property.items.at(-1)!.at("value")) : read(property);
    const at = resting ?? whole / 2;
    if (isKeyed(property)) {
      keyframes[key] = numberFrames(property, length, limit, (each) => {
        const value = read(each);
        return value === undefined ? undefined : center(value, outer[side]);
      });
    }
    const sides = from.at(side);
    if (isKeyed(sides) && type === "composition") {
      keyframes[side === "width" ? "scaleX" : "scaleY"] = numberFrames(sides, length, { min: 0, max: 100 }, (each) =>
        shareOfBox(pixelsOf(each, whole, frame), outer[side]),
      );
    } else if (isKeyed(sides)) {
      keyframes[side] = numberFrames(sides, length, { min: 0, max: 16_384 }, (each) => pixelsOf(each, whole, frame));
      if (Math.abs(anchor - 0.5) > 0.001 && !isKeyed(property)) {
        keyframes[key] = numberFrames(sides, length, limit, (each) => center(at, pixelsOf(each, whole, frame) ?? 0));
      }
    }
    return center(at, outer[side]);
  };
  const centerX = along("x", "width", anchorX, "centerX");
  const centerY = along("y", "height", anchorY, "centerY");
  const isMiddle = Math.abs(anchorX - 0.5) < 0.001 && Math.abs(anchorY - 0.5) < 0.001;
  return {
    centerX,
    centerY,
    ...(!isMiddle && { anchor: { x: within(anchorX, share), y: within(anchorY, share) } }),
  };
}

/** Keyframes replace the field: those of a turn begin and end at the element's own angle. */
export function turned(frames: Animated["keyframes"] = {}, rotation: unknown): Animated["keyframes"] {
  if (!frames.rotation || typeof rotation !== "number") return frames;
  return {
    ...frames,
    rotation: frames.rotation.map((frame) => ({ ...frame, value: rounded(frame.value + rotation) })),
  };
}

export const asLook = <Layer>(look: Record<string, unknown>): Partial<Layer> => look as Partial<Layer>;

import type {
  GroupLayerInput,
  ImageLayerInput,
  KeyframeInput,
  LayerInput,
  ShapeLayerInput,
  SoundInput,
  TextLayerInput,
  VideoLayerInput,
} from "../../exports/request/layers/inputs.ts";
import { maxDepth } from "../../exports/request/layers/nesting.ts";
import { ignored } from "../reading/property.ts";
import { rounded, within } from "../reading/rows.ts";
import type { Element, ElementContext } from "./element.ts";
import { firstOf } from "./element-properties.ts";
import { spansOf } from "./markup.ts";
import { asLook, type boxOf, isAbsentOrNull, placeOf, turned } from "./places.ts";
import { sizeOfFont } from "./text-properties.ts";
import { isKeyed, type Size, shareOf } from "./values.ts";

export function layerOf(
  element: Element,
  box: ReturnType<typeof boxOf>,
  context: ElementContext,
): LayerInput | undefined {
  const { type, from, times, look, keyframes, animated, filter } = element;
  if (type === "audio") {
    const sound = soundOf(element);
    if (sound) context.sounds.push({ from, sound });
    return undefined;
  }
  const place = placeOf(element, box.outer);
  const { scaleX = 1, scaleY = 1, ...others } = look as { scaleX?: number; scaleY?: number };
  const frames = { ...keyframes, ...turned(animated?.keyframes, look.rotation) };
  const common = {
    ...times,
    ...place,
    ...((scaleX !== 1 || scaleY !== 1) && { scale: { x: scaleX, y: scaleY } }),
    ...(Object.keys(filter).length > 0 && { filter }),
    ...(animated?.enter && { enter: animated.enter }),
    ...(animated?.exit && { exit: animated.exit }),
    ...(animated?.loop && { loop: animated.loop }),
    ...(animated && animated.motions.length > 0 && { motions: animated.motions.slice(0, 50) }),
  };
  const size = { width: rounded(box.inner.width), height: rounded(box.inner.height) };
  const layer = typedLayer({ ...element, look: others }, { common, size, frames, box });
  return layer && element.isRepeated ? repeated(layer, element, box.outer) : layer;
}

type Parts = {
  readonly common: Record<string, unknown>;
  readonly size: Size;
  readonly frames: Record<string, unknown>;
  readonly box: ReturnType<typeof boxOf>;
};

const framed = (frames: Record<string, unknown>, without: readonly string[] = []) => {
  const kept = Object.fromEntries(
    Object.entries(frames).filter(([name, list]) => !without.includes(name) && Array.isArray(list) && list.length > 0),
  );
  return Object.keys(kept).length > 0 ? { keyframes: kept } : {};
};

function typedLayer(element: Element, parts: Parts): LayerInput | undefined {
  const { type, look } = element;
  const { common, size, frames } = parts;
  if (type === "text") return textLayer(element, parts);
  if (type === "shape") return shapeLayer(element, parts);
  if (type === "composition") return groupLayer(element, parts);
  const { media } = element;
  if (!media) return undefined;
  if (media.assetId === "") {
    return { type: "shape", shape: "rect", fill: "#c9ced6", ...asLook<ShapeLayerInput>(common), ...size };
  }
  const shown = { fit: "cover", ...look, ...common, ...size, assetId: media.assetId };
  if (media.type === "image") {
    const { cutFrom: _c, volume: _v, speed: _s, ...still } = shown as Record<string, unknown>;
    const motion = framed(frames, ["volume", "speed"]);
    return { type: "image", ...asLook<ImageLayerInput>(still), ...motion } as ImageLayerInput;
  }
  const fades = frames.volume ? {} : fadeFrames(element);
  return {
    type: "video",
    ...asLook<VideoLayerInput>(shown),
    ...(element.isMuted && { volume: 0 }),
    ...framed({ ...frames, ...fades }),
  } as VideoLayerInput;
}

function fadeFrames({ fades, length }: Element): Record<string, unknown> {
  if (fades.in === 0 && fades.out === 0) return {};
  const first = Math.min(fades.in, length / 2);
  const last = Math.min(fades.out, length / 2);
  return {
    volume: [
      ...(first > 0
        ? [
            { at: 0, value: 0 },
            { at: rounded(first), value: 1 },
          ]
        : [{ at: 0, value: 1 }]),
      ...(last > 0
        ? [
            { at: rounded(length - last), value: 1 },
            { at: rounded(length), value: 0 },
          ]
        : []),
    ],
  };
}

function textLayer(element: Element, { common, size, frames, box }: Parts): LayerInput | undefined {
  const { look, words, fontSize, isAuto, fill, stroke, keyframes } = element;
  if (words.trim() === "" && !keyframes.text) return undefined;
  const found = spansOf(words, isAuto ? undefined : fontSize);
  // sizes need a number
  const sized = found?.hasSizes && isAuto ? Math.round(sizeOfFont(element)) : undefined;
  const markup = sized === undefined ? found : spansOf(words, sized);
  const color = fill === "none" || element.from.at("fill_color").raw === null ? "transparent" : (fill ?? "#000000");

  const { shadow, ...plain } = look as { shadow?: unknown };
  const layer: Record<string, unknown> = {
    type: "text",
    ...(markup ? { spans: markup.spans } : { text: words }),
    ...(shadow === undefined ? { shadowColor: "transparent" } : { shadow }),
    lineHeight: 1.15,
    fontWeight: 400,
    align: "left",
    verticalAlign: "top",
    ...plain,
    ...openBox(element, box),
    ...common,
    ...(typeof color === "string" ? { fontColor: color } : { fill: color }),
    ...(stroke.color && stroke.width ? { strokeColor: stroke.color, strokeWidth: rounded(stroke.width / 2) } : {}),
    ...(isAuto && sized === undefined
      ? {
          fontSize: "auto",
          width: size.width,
          height: size.height,
          min: look.min ?? 1,
          max:
            look.max ??
            within(Math.min(element.parent.frame.width, element.parent.frame.height), { min: 1, max: 1000 }),
          ...(!box.hasHeight && { wrap: false }),
        }
      : { fontSize: rounded(sized ?? fontSize ?? 48) }),
    ...textFrames(frames),
  };
  if (!isAuto || sized !== undefined) {
    delete layer.min;
    delete layer.max;
  }
  return layer as unknown as TextLayerInput;
}

/** Colors of letters over time are those of their fill here. */
function textFrames(frames: Record<string, unknown>) {
  const { fill, ...others } = frames;
  return framed({ ...others, ...(fill ? { fontColor: fill } : {}) }, ["width", "height", "zoom", "focusX", "focusY"]);
}

/** A text without a width or a height lies at its point in a box as large as its parent. */
function openBox(element: Element, box: ReturnType<typeof boxOf>): Record<string, unknown> {
  const { from, parent, isAuto } = element;
  const anchor = (name: string) => shareOf(firstOf(from.at(name))) ?? 0.5;
  const sides = (share: number): number => (share < 0.25 ? 0 : share > 0.75 ? 1 : 0.5);
  const [x, y] = [sides(anchor("x_anchor")), sides(anchor("y_anchor"))];
  const open = {
    ...(!box.hasWidth && { align: (["left", "center", "right"] as const)[2 * x] }),
    ...(!box.hasHeight && { verticalAlign: (["top", "middle", "bottom"] as const)[2 * y] }),
  };
  if (isAuto) return open;
  const maxWidth = box.hasWidth ? box.inner.width : parent.size.width;
  const maxHeight = box.hasHeight ? box.inner.height : parent.size.height;
  return {
    maxWidth: rounded(maxWidth),
    maxHeight: rounded(maxHeight),
    ...open,
    ...(!box.hasWidth && { wrap: false }),
  };
}

const rectangle = /^\s*M\s*0[ ,]+0\s*L\s*100[ ,]+0\s*L\s*100[ ,]+100\s*L\s*0[ ,]+100\s*(?:L\s*0[ ,]+0\s*)?Z\s*$/i;
const ellipse = /^\s*M\s*50[ ,]+0\s*C\s*77\.6\d*[ ,]+0[ ,]+100[ ,]+22\.3\d*[ ,]+100[ ,]+50/i;

function shapeLayer(element: Element, { common, size, frames, box }: Parts): LayerInput {
  const { path, fill, stroke, look, parent } = element;
  const { trimStart, trimEnd, trimOffset, ...rest } = look as {
    trimStart?: number;
    trimEnd?: number;
    trimOffset?: number;
  };
  const hasTrim = trimStart !== undefined || trimEnd !== undefined || trimOffset !== undefined;
  const drawn = {
    ...rest,
    ...common,
    ...(typeof fill === "string" || typeof fill === "object" ? { fill } : {}),
    ...((stroke.color || stroke.width) && { stroke: { color: "#000000", ...stroke } }),
    ...(hasTrim && {
      trim: {
        ...(trimStart !== undefined && { start: trimStart }),
        ...(trimEnd !== undefined && { end: trimEnd }),
        ...(trimOffset !== undefined && { offset: trimOffset }),
      },
    }),
    ...framed(frames, ["zoom", "focusX", "focusY"]),
  };
  if (path === undefined || rectangle.test(path))
    return { type: "shape", shape: "rect", ...drawn, ...size } as LayerInput;
  if (ellipse.test(path)) return { type: "shape", shape: "ellipse", ...drawn, ...size } as LayerInput;
  if (!box.hasNone) {
    return { type: "shape", shape: "path", d: path, viewBox: [0, 0, 100, 100], ...drawn, ...size } as LayerInput;
  }
  // the path is in pixels from the element's point, and may lie on all sides of it
  const { width, height } = parent.size;
  const around = { width: rounded(Math.min(16_384, 2 * width)), height: rounded(Math.min(16_384, 2 * height)) };
  return {
    type: "shape",
    shape: "path",
    d: path,
    viewBox: [-around.width / 2, -around.height / 2, around.width, around.height],
    ...drawn,
    ...around,
  } as LayerInput;
}

function groupLayer(element: Element, { common, size, frames }: Parts): LayerInput | undefined {
  const { fill, look, layers, stroke, from, length } = element;
  const { radius, ...rest } = look as { radius?: number };
  const hasGround = fill !== undefined || (stroke.color !== undefined && stroke.width);
  const ground = {
    type: "shape",
    shape: "rect",
    ...(fill !== undefined && { fill }),
    ...(stroke.color && stroke.width ? { stroke: { color: stroke.color, width: stroke.width } } : {}),
    ...(radius && { radius }),
  } as LayerInput;
  const inside = hasGround ? [ground, ...layers] : layers;
  if (inside.length === 0) return undefined;
  const clips = from.at("clip").flag === true || radius !== undefined;
  const isLoop = rest && (rest as { repeat?: boolean }).repeat === true;
  const endless = inside.map((each) => (isLoop && each.end === undefined ? { ...each, end: length } : each));
  return {
    type: "group",
    layers: endless,
    ...asLook<GroupLayerInput>(rest),
    ...asLook<GroupLayerInput>(common),
    ...size,
    ...(clips && { clip: true }),
    ...(radius && { radius }),
    ...framed(frames, [
      "zoom",
      "focusX",
      "focusY",
      "strokeColor",
      "strokeWidth",
      "trimStart",
      "trimEnd",
      "trimOffset",
      "fill",
    ]),
  } as LayerInput;
}

const maxCopies = 100;

/** That many are shown at a time. */
const maxVideos = 9;

const videosIn = (layer: LayerInput): number =>
  layer.type === "group" ? layer.layers.reduce((sum, each) => sum + videosIn(each), 0) : Number(layer.type === "video");

/** Copies of a layer side by side, over the whole parent. */
function repeated(layer: LayerInput, { parent, from, times }: Element, box: Size): LayerInput {
  const { width, height } = parent.size;
  const columns = Math.ceil(width / box.width / 2) + 1;
  const rows = Math.ceil(height / box.height / 2) + 1;
  const copies: LayerInput[] = [];
  const { centerX = 0, centerY = 0, opacity, blend, position: _p, end: _e, id: _i, ...tile } = layer as GroupLayerInput;
  for (let row = -rows; row <= rows; row++) {
    for (let column = -columns; column <= columns; column++) {
      const x = (centerX ?? 0) + column * box.width;
      const y = (centerY ?? 0) + row * box.height;
      const isSeen = Math.abs(x) < (width + box.width) / 2 && Math.abs(y) < (height + box.height) / 2;
      if (isSeen) copies.push({ ...tile, centerX: rounded(x), centerY: rounded(y) } as LayerInput);
    }
  }
  if (isKeyed(from.at("width")) || isKeyed(from.at("height"))) {
    from.at("repeat").mark(ignored("Is repeated only where its size stays the same."));
    return layer;
  }
  const videos = copies.length * videosIn(layer);
  if (copies.length > maxCopies || videos > maxVideos || parent.depth + 2 > maxDepth) {
    from.at("repeat").mark(ignored(`Is repeated at most ${maxCopies} times, with at most ${maxVideos} videos.`));
    return layer;
  }
  return {
    type: "group",
    ...times,
    layers: copies,
    width,
    height,
    clip: true,
    ...(opacity !== undefined && { opacity }),
    ...(blend !== undefined && { blend }),
  };
}

function soundOf(element: Element): SoundInput | undefined {
  const { media, look, times, parent, fades, keyframes, isMuted, from } = element;
  if (!media?.assetId || isMuted) return undefined;
  const { cutFrom, volume, repeat, speed } = look as {
    cutFrom?: number;
    volume?: number;
    repeat?: boolean;
    speed?: number;
  };
  const start = parent.start + times.position;
  const isMusic = isAbsentOrNull(from.at("duration")) && start < 0.001;
  return {
    assetId: media.assetId,
    position: rounded(start),
    end: rounded(parent.start + times.end),
    ...(isMusic && { role: "music" as const }),
    ...(cutFrom !== undefined && { cutFrom }),
    ...(volume !== undefined && { volume }),
    ...(speed !== undefined && { speed }),
    ...(repeat && { repeat: true }),
    ...(fades.in > 0 && { fadeIn: fades.in }),
    ...(fades.out > 0 && { fadeOut: fades.out }),
    ...(keyframes.volume && { keyframes: { volume: keyframes.volume as KeyframeInput<number>[] } }),
  };
}

import type {
  FilterInput,
  KeyframeInput,
  LayerInput,
  MoveInput,
  ShapeLayerInput,
  TextLayerInput,
} from "../../exports/request/layers/inputs.ts";
import type { ReadContext } from "../reading/draft.ts";
import { changed, ignored, type Property, used } from "../reading/property.ts";
import { flag, noted, number, type Row, readBy, rounded, type Table, within } from "../reading/rows.ts";
import { type Asset, readAsset } from "./assets.ts";
import { type CameraMove, effectOf, transitionOf, tweensOf } from "./motion.ts";
import { places } from "./places.ts";

export type Frame = { readonly width: number; readonly height: number };

type Tweened = number | KeyframeInput<number>[];

export type Clip = {
  readonly from: Property;
  asset: Asset;
  /** Seconds; `auto`: after the clip before it. */
  start: number | "auto";
  /** `auto`: as long as its file; `end`: until the film ends. */
  length: number | "auto" | "end";
  fit?: "cover" | "contain" | "crop" | "none";
  scale: Tweened;
  width?: number;
  height?: number;
  place: readonly [x: number, y: number];
  offset: { x: Tweened; y: Tweened };
  enter?: MoveInput;
  exit?: MoveInput;
  effect?: CameraMove;
  filter?: FilterInput;
  opacity: Tweened;
  rotation: Tweened;
  skew: { x: Tweened; y: Tweened };
  flip: { x: boolean; y: boolean };
};

type ClipContext = ReadContext & { readonly frame: Frame };
type ClipRow = Row<Clip, ClipContext>;

/** A number, or a list of tweens. */
const tweened =
  (
    as: string,
    bounds: { readonly min: number; readonly max: number },
    set: (clip: Clip, value: Tweened) => void,
    map: (value: number) => number = (value) => value,
  ): ClipRow =>
  (property, clip, context) => {
    if (Array.isArray(property.raw)) {
      set(clip, tweensOf(property, `keyframes.${as}`, bounds, map));
      return undefined;
    }
    const set1 = (draft: Clip, value: number) => set(draft, rounded(map(value)));
    return number<Clip, ClipContext>(as, { min: -1e6, max: 1e6 }, (draft, value) => set1(draft, within(value, bounds)))(
      property,
      clip,
      context,
    );
  };

const inner =
  (table: Table<Clip, ClipContext>): ClipRow =>
  (property, clip, context) => {
    if (!property.isObject) return ignored("Must be an object.");
    readBy(table, property, clip, context);
    return undefined;
  };

const shear = (value: number): number => within((Math.atan(value) * 180) / Math.PI, { min: -89, max: 89 });

/** Filters of colors as ours; `why` for those whose strength is not published. */
const filters: Readonly<Record<string, { readonly filter: FilterInput; readonly isSame?: boolean }>> = {
  none: { filter: {}, isSame: true },
  blur: { filter: { blur: 12 } },
  boost: { filter: { contrast: 1.2, saturation: 1.5 } },
  contrast: { filter: { contrast: 1.5 } },
  darken: { filter: { brightness: 0.6 } },
  greyscale: { filter: { grayscale: 1 }, isSame: true },
  lighten: { filter: { brightness: 1.4 } },
  muted: { filter: { contrast: 0.9, saturation: 0.5 } },
  negative: { filter: { invert: 1 }, isSame: true },
};

const alias = /^alias:/i;

/** What each property of a clip becomes. */
const clipRows: Table<Clip, ClipContext> = {
  id: noted("nothing: a name"),
  alias: noted("nothing: a name"),
  asset: (property, clip, context) => {
    if (!property.isObject) return ignored("Must be an object.");
    clip.asset = readAsset(property, context);
    return undefined;
  },
  start: (property, clip) => {
    const text = property.text ?? "";
    if (text === "auto") clip.start = "auto";
    else if (alias.test(text)) {
      clip.start = "auto";
      return changed("Begins after the clip before it: names of other clips are not followed.");
    } else if (property.number === undefined) return ignored("Must be a number of seconds, or auto.");
    else clip.start = within(property.number, { min: 0, max: 3600 });
    return used("position");
  },
  length: (property, clip) => {
    const text = property.text ?? "";
    if (text === "auto" || text === "end") clip.length = text;
    else if (alias.test(text)) {
      clip.length = "auto";
      return changed("Is as long as its file: names of other clips are not followed.");
    } else if (property.number === undefined || property.number <= 0)
      return ignored("Must be a number of seconds, auto or end.");
    else clip.length = within(property.number, { min: 0.001, max: 3600 });
    return used("end");
  },
  fit: (property, clip) => {
    const fit = (["cover", "contain", "crop", "none"] as const).find((name) => name === property.text);
    if (!fit) return ignored("Must be one of: cover, contain, crop, none.");
    clip.fit = fit;
    return used("fit");
  },
  scale: tweened("scale", { min: 0, max: 100 }, (clip, value) => {
    clip.scale = value;
  }),
  width: number("width", { min: 1, max: 16_384 }, (clip, value) => {
    clip.width = value;
  }),
  height: number("height", { min: 1, max: 16_384 }, (clip, value) => {
    clip.height = value;
  }),
  position: (property, clip) => {
    const place = Object.hasOwn(places, property.text ?? "") ? places[property.text!] : undefined;
    if (!place) return ignored(`Must be one of: ${Object.keys(places).join(", ")}.`);
    clip.place = place;
    return used("centerX, centerY");
  },
  offset: inner({
    x: tweened("centerX", { min: -10, max: 10 }, (clip, value) => {
      clip.offset.x = value;
    }),
    y: tweened("centerY", { min: -10, max: 10 }, (clip, value) => {
      clip.offset.y = value;
    }),
  }),
  transition: inner({
    in: (property, clip, { frame }) => {
      const { move, verdict } = transitionOf(property, "in", frame.width);
      if (move) clip.enter = move;
      return verdict;
    },
    out: (property, clip, { frame }) => {
      const { move, verdict } = transitionOf(property, "out", frame.width);
      if (move) clip.exit = move;
      return verdict;
    },
  }),
  effect: (property, clip) => {
    const effect = effectOf(property.text ?? "");
    if (!effect) return ignored("Is not an effect.");
    clip.effect = effect;
    return used("keyframes");
  },
  filter: (property, clip) => {
    const name = property.text ?? "";
    const found = Object.hasOwn(filters, name) ? filters[name] : undefined;
    if (!found) return ignored("Is not a filter.");
    if (name !== "none") clip.filter = found.filter;
    return found.isSame ? used("filter") : changed("Is a filter of about this strength.");
  },
  opacity: tweened("opacity", { min: 0, max: 1 }, (clip, value) => {
    clip.opacity = value;
  }),
  transform: inner({
    rotate: inner({
      angle: tweened("rotation", { min: -36_000, max: 36_000 }, (clip, value) => {
        clip.rotation = value;
      }),
    }),
    skew: inner({
      x: tweened(
        "skewX",
        { min: -100, max: 100 },
        (clip, value) => {
          clip.skew.x = value;
        },
        shear,
      ),
      y: tweened(
        "skewY",
        { min: -100, max: 100 },
        (clip, value) => {
          clip.skew.y = value;
        },
        shear,
      ),
    }),
    flip: inner({
      horizontal: flag("scale", (clip, value) => {
        clip.flip.x = value;
      }),
      vertical: flag("scale", (clip, value) => {
        clip.flip.y = value;
      }),
    }),
  }),
};

export function readClip(property: Property, context: ClipContext): Clip {
  const clip: Clip = {
    from: property,
    asset: readAsset(property.at("?"), context),
    start: "auto",
    length: "auto",
    scale: 1,
    place: [0, 0],
    offset: { x: 0, y: 0 },
    opacity: 1,
    rotation: 0,
    skew: { x: 0, y: 0 },
    flip: { x: false, y: false },
  };
  readBy(clipRows, property, clip, context);
  return clip;
}

export type Timed = { readonly position: number; readonly end: number };

type Box = Frame & { readonly fit: "contain" | "cover" | "stretch" };

/** The box of a picture, before its scale. */
function boxOf({ fit = "crop", width, height, asset: { media } }: Clip, frame: Frame): Partial<Box> & Pick<Box, "fit"> {
  const area = { width: width ?? frame.width, height: height ?? frame.height };
  if (fit === "crop") return { ...area, fit: "cover" };
  if (fit === "cover") return { ...area, fit: "stretch" };
  if (!media?.width || !media.height) return fit === "none" ? { fit: "contain" } : { ...area, fit: "contain" };
  const factor = fit === "none" ? 1 : Math.min(area.width / media.width, area.height / media.height);
  return { width: media.width * factor, height: media.height * factor, fit: "contain" };
}

const at = (value: Tweened, byDefault: number): number =>
  typeof value === "number" ? value : (value.at(-1)?.value ?? byDefault);

type Keyed = Record<string, KeyframeInput<number>[]>;

/** Where a box lies, how it is turned, and how it moves. */
function placed(clip: Clip, box: Partial<Frame>, frame: Frame, isScaled: boolean) {
  const { width: w, height: h } = frame;
  const scale = isScaled ? 1 : at(clip.scale, 1);
  const size = { width: (box.width ?? w) * scale, height: (box.height ?? h) * scale };
  const baseX = (clip.place[0] * (w - size.width)) / 2;
  const baseY = (clip.place[1] * (h - size.height)) / 2;
  const keyframes: Keyed = {};
  const base = {
    x: rounded(within(baseX + at(clip.offset.x, 0) * w, limit)),
    y: rounded(within(baseY - at(clip.offset.y, 0) * h, limit)),
  };
  if (typeof clip.offset.x !== "number") keyframes.centerX = along(clip.offset.x, (value) => baseX + value * w);
  if (typeof clip.offset.y !== "number") keyframes.centerY = along(clip.offset.y, (value) => baseY - value * h);
  if (typeof clip.scale !== "number") keyframes.scale = clip.scale;
  if (typeof clip.opacity !== "number") keyframes.opacity = clip.opacity;
  if (typeof clip.rotation !== "number") keyframes.rotation = clip.rotation;
  if (typeof clip.skew.x !== "number") keyframes.skewX = clip.skew.x;
  if (typeof clip.skew.y !== "number") keyframes.skewY = clip.skew.y;
  const { effect } = clip;
  if (effect && !keyframes.scale) {
    const [from, to] = effect.scale;
    const own = isScaled && typeof clip.scale === "number" ? clip.scale : 1;
    keyframes.scale = from === to ? [{ at: 0, value: rounded(from * own) }] : evenly(from * own, to * own);
  }
  if (effect?.offset) {
    const { axis, from, to } = effect.offset;
    const length = axis === "x" ? w : h;
    const name = axis === "x" ? "centerX" : "centerY";
    keyframes[name] ??= evenly(base[axis] + from * length, base[axis] + to * length);
  }
  const mirrored = { x: clip.flip.x ? -1 : 1, y: clip.flip.y ? -1 : 1 };
  const own = isScaled && typeof clip.scale === "number" ? clip.scale : 1;
  const whole = { x: rounded(mirrored.x * own), y: rounded(mirrored.y * own) };
  return {
    centerX: base.x,
    centerY: base.y,
    ...((whole.x !== 1 || whole.y !== 1) && { scale: whole }),
    ...(typeof clip.opacity === "number" && clip.opacity !== 1 && { opacity: clip.opacity }),
    ...(typeof clip.rotation === "number" && clip.rotation !== 0 && { rotation: clip.rotation }),
    ...(typeof clip.skew.x === "number" && clip.skew.x !== 0 && { skewX: clip.skew.x }),
    ...(typeof clip.skew.y === "number" && clip.skew.y !== 0 && { skewY: clip.skew.y }),
    ...(clip.filter && { filter: clip.filter }),
    ...(clip.enter && { enter: clip.enter }),
    ...(clip.exit && { exit: clip.exit }),
    ...(Object.keys(keyframes).length > 0 && { keyframes }),
  };
}

const limit = { min: -16_384, max: 16_384 };

const along = (frames: readonly KeyframeInput<number>[], map: (value: number) => number): KeyframeInput<number>[] =>
  frames.map((frame) => ({ ...frame, value: rounded(within(map(frame.value), limit)) }));

const evenly = (from: number, to: number): KeyframeInput<number>[] => [
  { at: 0, value: rounded(within(from, limit)) },
  { at: "100%", value: rounded(within(to, limit)) },
];

/** The layers of a clip, bottom first; none of a sound or a matte. */
export function layersOf(clip: Clip, times: Timed, frame: Frame): readonly LayerInput[] {
  const { asset } = clip;
  switch (asset.kind) {
    case "media":
      return mediaLayer(clip, times, frame);
    case "text":
      return textLayers(clip, times, frame);
    case "html":
      return [htmlLayer(clip, times, frame)];
    case "shape":
      return [shapeLayer(clip, times, frame)];
    default:
      return [];
  }
}

const sized = (length: number | undefined): number | undefined =>
  length === undefined ? undefined : rounded(within(length, { min: 1, max: 16_384 }));

function mediaLayer(clip: Clip, times: Timed, frame: Frame): readonly LayerInput[] {
  const { asset } = clip;
  if (!asset.media) return [];
  const box = boxOf(clip, frame);
  const scale = typeof clip.scale === "number" ? clip.scale : 1;
  const natural = box.width === undefined;
  const own = placed(clip, box, frame, natural);
  const size = natural
    ? {}
    : { width: sized((box.width ?? frame.width) * scale)!, height: sized((box.height ?? frame.height) * scale)! };
  if (scale === 0) return [];
  const common = { ...times, ...own, ...size, fit: box.fit };
  const { width = frame.width, height = frame.height } = size;
  const { top = 0, bottom = 0, left = 0, right = 0 } = asset.crop ?? {};
  const cropped = asset.crop && {
    mask: {
      shape: "rect" as const,
      x: rounded(left * width),
      y: rounded(top * height),
      width: rounded(Math.max(1, (1 - left - right) * width)),
      height: rounded(Math.max(1, (1 - top - bottom) * height)),
    },
  };
  const { assetId, type } = asset.media;
  if (assetId === "") return [emptyPlace({ ...times, ...own, width, height })];
  if (type === "image") return [{ type: "image", assetId, ...common, ...cropped }];
  const { fades } = asset;
  const frames = asset.volumeFrames ?? fadeFrames(fades, times);
  const keyframes = { ...own.keyframes, ...(frames && { volume: frames }) };
  return [
    {
      type: "video",
      assetId,
      ...common,
      ...cropped,
      ...(asset.trim > 0 && { cutFrom: asset.trim }),
      ...(asset.speed !== 1 && { speed: asset.speed }),
      ...(asset.volume !== 1 && { volume: asset.volume }),
      ...(asset.chromaKey && { chromaKey: asset.chromaKey }),
      ...(Object.keys(keyframes).length > 0 && { keyframes }),
    },
  ];
}

/** Stands where a file could not be had. */
export const emptyPlace = (layer: Omit<ShapeLayerInput, "type" | "shape">): LayerInput => {
  const { width, height, centerX, centerY, x, y, position, end } = layer;
  return {
    type: "shape",
    shape: "rect",
    fill: "#c9ced6",
    ...{ width, height, centerX, centerY, x, y, position, end },
  };
};

const fadeSeconds = 1;

function fadeFrames({ in: fadesIn, out }: Asset["fades"], { position, end }: Timed) {
  if (!fadesIn && !out) return undefined;
  const length = end - position;
  const fade = Math.min(fadeSeconds, length / 2);
  return [
    ...(fadesIn
      ? [
          { at: 0, value: 0 },
          { at: rounded(fade), value: 1 },
        ]
      : [{ at: 0, value: 1 }]),
    ...(out
      ? [
          { at: rounded(length - fade), value: 1 },
          { at: rounded(length), value: 0 },
        ]
      : []),
  ];
}

/** The words, and the rectangle behind them if there is one. */
function textLayers(clip: Clip, times: Timed, frame: Frame): readonly LayerInput[] {
  const { asset } = clip;
  const width = asset.width ?? clip.width ?? frame.width;
  const height = asset.height ?? clip.height ?? frame.height;
  const own = placed(clip, { width, height }, frame, true);
  const { ground, border, padding } = asset;
  const hugs = ground?.hugs === true;
  const color = ground && ground.color !== "transparent" ? ground.color : undefined;
  const boxed = (color !== undefined && !hugs) || (border !== undefined && border.width > 0);
  const { spans, ...look } = asset.look;
  const fontSize = asset.fontShare === undefined ? undefined : Math.max(1, Math.round(asset.fontShare * frame.height));
  const text: TextLayerInput = {
    type: "text",
    ...(spans ? { spans: spans.map((span) => ({ ...span, text: asset.words })) } : { text: asset.words }),
    ...look,
    ...(fontSize !== undefined && { fontSize }),
    maxWidth: sized(width - padding.left - padding.right)!,
    maxHeight: sized(height - padding.top - padding.bottom)!,
    centerX: rounded((padding.left - padding.right) / 2),
    centerY: rounded((padding.top - padding.bottom) / 2),
    ...(hugs && color !== undefined && { background: color, radius: ground.radius, padding: padding.left }),
    ...(asset.animation && { enter: asset.animation }),
  };
  const isEmpty = asset.words.trim() === "";
  if (!boxed && isEmpty) return [];
  const rect: ShapeLayerInput | undefined = boxed
    ? {
        type: "shape",
        shape: "rect",
        ...(color === undefined ? {} : { fill: color }),
        ...(ground && ground.radius > 0 && { radius: ground.radius }),
        ...(border && border.width > 0 && { stroke: border }),
      }
    : undefined;
  const size = { width: sized(width)!, height: sized(height)! };
  if (rect && isEmpty) return [{ ...rect, ...times, ...own, ...size }];
  const isMovedAlone = !rect && (own.enter === undefined || asset.animation === undefined);
  if (isMovedAlone) {
    const { centerX, centerY, ...moves } = own;
    const { keyframes } = moves;
    const shift = { x: text.centerX ?? 0, y: text.centerY ?? 0 };
    const shifted = keyframes && {
      ...keyframes,
      ...(keyframes.centerX && { centerX: along(keyframes.centerX, (value) => value + shift.x) }),
      ...(keyframes.centerY && { centerY: along(keyframes.centerY, (value) => value + shift.y) }),
    };
    return [
      {
        ...text,
        ...times,
        ...moves,
        centerX: rounded(centerX + shift.x),
        centerY: rounded(centerY + shift.y),
        ...(shifted && { keyframes: shifted }),
      },
    ];
  }
  return [{ type: "group", ...times, ...own, ...size, layers: rect ? [rect, text] : [text] }];
}

function htmlLayer(clip: Clip, times: Timed, frame: Frame): LayerInput {
  const { asset } = clip;
  const width = asset.width ?? clip.width ?? frame.width;
  const height = asset.height ?? clip.height ?? frame.height;
  const { align } = asset.look;
  const verticalAlign = asset.look.verticalAlign ?? "middle";
  const sides = { top: "flex-start", middle: "center", bottom: "flex-end" } as const;
  const ground = asset.ground?.color ?? "transparent";
  const css = `.card { width: 100%; height: 100%; display: flex; flex-direction: column; justify-content: ${sides[verticalAlign]}; background: ${ground}; ${align ? `text-align: ${align};` : ""} }\n${asset.css}`;
  return {
    type: "html",
    html: `<div class="card">${asset.html}</div>`,
    css: css.replaceAll(/\{\{[^{}]*\}\}/g, ""),
    ...times,
    ...placed(clip, { width, height }, frame, true),
    width: sized(width)!,
    height: sized(height)!,
  };
}

function shapeLayer(clip: Clip, times: Timed, frame: Frame): LayerInput {
  const { asset } = clip;
  const width = asset.width ?? clip.width ?? frame.width;
  const height = asset.height ?? clip.height ?? frame.height;
  const { shape, fill, stroke, radius } = asset.shape;
  return {
    type: "shape",
    shape,
    ...(fill !== undefined && shape !== "line" && { fill }),
    ...(stroke && { stroke }),
    ...(radius > 0 && { radius }),
    ...times,
    ...placed(clip, { width, height }, frame, true),
    width: sized(width)!,
    height: sized(height)!,
  };
}

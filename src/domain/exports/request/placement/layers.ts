import type { GroupContent, GroupLayer, Overlay, VideoContent } from "../../../../engine/timeline/overlay.ts";
import type { Source } from "../../../../engine/timeline/source.ts";
import { toSeconds } from "../../../../engine/timeline/time.ts";
import type { Canvas } from "../../../../engine/timeline/timeline.ts";
import { DomainError, invalid } from "../../../../errors.ts";
import { wordsOf } from "../layers/refinements.ts";
import type { GroupLayerRequest, LayerRequest, VideoLayerRequest } from "../layers/schema.ts";
import { effectsOf } from "./effects.ts";
import { videoField } from "./files.ts";
import { htmlContent } from "./html.ts";
import { lottieContent } from "./lottie.ts";
import { motionOf, roundedSeconds, withAnimations } from "./motion.ts";
import { imageContent, leadOf, textContent, type VideoBounds, visibleRange } from "./overlays.ts";
import type { Report } from "./report.ts";
import { boxIn, shapeContent } from "./shapes.ts";
import { hasShadow } from "./text-style.ts";
import { ownLength, timesOf } from "./times.ts";
import { videoContent } from "./videos.ts";

/** What layers are laid out with. */
type Stage = {
  readonly files: ReadonlyMap<string, Source>;
  readonly language: string | undefined;
  readonly report: Report;
  /** Gets the videos of layers, with the layers that they are made from. */
  readonly videos?: Map<VideoContent, RequestedVideo>;
};

/** The layer of a request that a video is made from, and its path. */
export type RequestedVideo = { readonly path: string; readonly request: VideoLayerRequest };

/** A layer of a request. `overlay` is undefined if it is never visible. */
type PlacedLayer = {
  readonly path: string;
  readonly position: number;
  readonly end: number;
  readonly layer: number | undefined;
  readonly overlay?: Overlay | undefined;
};

export type PlacedLayers = {
  readonly layers: readonly PlacedLayer[];
  /** The layer with an id, for the mask of a text or an image. */
  readonly maskLayer: (id: string, path: string) => GroupLayer | undefined;
};

/** Lays out the layers of a request. `masked` are the ids of layers that texts and images use as masks. */
export function placeLayers(
  layers: readonly LayerRequest[],
  stage: Stage,
  bounds: VideoBounds,
  masked: ReadonlySet<string>,
): PlacedLayers {
  const { canvas, rate, frames } = bounds;
  const list = placeList(layers, { ...stage, canvas, path: "layers", end: toSeconds(frames, rate), masked });
  return {
    maskLayer: list.maskLayer,
    layers: layers.map((layer, index) => {
      const { start: position, end } = timesOf(layer, Number.POSITIVE_INFINITY);
      const placed = list.shown[index];
      const until = Number.isFinite(end) ? end : toSeconds(frames, rate);
      const overlay = placed && overlayOf(placed, layer, bounds);
      return { path: `layers.${index}`, position, end: until, layer: layer.layer, overlay };
    }),
  };
}

function overlayOf(placed: GroupLayer, { group }: LayerRequest, bounds: VideoBounds): Overlay | undefined {
  const { start, end, motion, ...rest } = placed;
  const range = visibleRange({ position: start, end }, bounds);
  if (!range) return undefined;
  return { ...rest, range, group, ...(motion && { motion: { ...motion, lead: leadOf(start, range, bounds) } }) };
}

/** The layers of one list: on a canvas of their own, on one clock, and until its end. */
type ListStage = Stage & {
  readonly canvas: Canvas;
  readonly path: string;
  readonly end: number;
  readonly masked?: ReadonlySet<string>;
};

/** `shown` has the layers by their index, and undefined for hidden ones. */
type PlacedList = Pick<PlacedLayers, "maskLayer"> & { readonly shown: readonly (GroupLayer | undefined)[] };

function placeList(layers: readonly LayerRequest[], stage: ListStage): PlacedList {
  const indexes = new Map(layers.flatMap(({ id }, index) => (id === undefined ? [] : [[id, index] as const])));
  const hidden = new Set([...(stage.masked ?? []), ...layers.flatMap(({ mask }) => mask?.layer ?? [])]);
  const made = new Map<number, GroupLayer | undefined>();
  const inProgress = new Set<number>();

  /** Makes each layer once, although several may be masked by it. */
  const make = (index: number): GroupLayer | undefined => {
    if (made.has(index)) return made.get(index);
    inProgress.add(index);
    const request = layers[index]!;
    const isMask = request.id !== undefined && hidden.has(request.id);
    const layer = placeLayer(isMask ? withoutShadows(request) : request, {
      ...stage,
      path: `${stage.path}.${index}`,
      maskLayer,
    });
    inProgress.delete(index);
    made.set(index, layer);
    return layer;
  };
  const maskLayer = (id: string, path: string): GroupLayer | undefined => {
    const index = indexes.get(id);
    if (index === undefined) {
      stage.report(invalid(path, "Must be the id of a layer in the same list."));
      return undefined;
    }
    if (inProgress.has(index)) {
      stage.report(new DomainError("mask_cycle", { path, id }));
      return undefined;
    }
    return make(index);
  };
  const shown = layers.map((layer, index) => {
    const placed = make(index);
    return layer.id !== undefined && hidden.has(layer.id) ? undefined : placed;
  });
  return { shown, maskLayer };
}

/** The soft shadow that texts have by default would be a part of the mask. */
function withoutShadows(layer: LayerRequest): LayerRequest {
  if (layer.type === "group") return { ...layer, layers: layer.layers.map(withoutShadows) };
  return layer.type === "text" && !hasShadow(layer) ? { ...layer, shadowColor: "transparent" } : layer;
}

type LayerStage = ListStage & Pick<PlacedLayers, "maskLayer">;

/** A layer on the clock of its list; undefined for one that is never visible or has nothing to show. */
function placeLayer(layer: LayerRequest, stage: LayerStage): GroupLayer | undefined {
  const { start, end } = timesOf(layer, stage.end);
  const content = contentOf(layer, stage, end - start);
  if (end <= start || !content) return undefined;
  const { opacity = 1, rotation = 0 } = layer;
  const box = "box" in content ? content.box : undefined;
  const hasOwnRadius = layer.type === "shape" || layer.type === "text";
  const effects = effectsOf(layer, stage, { ...(box && { box }), hasOwnRadius });
  const seconds = end - start;
  const { canvas, path, report } = stage;
  const animated = layer.type === "text" ? layer : {};
  const own = motionOf(picturesOf(layer), { canvas, seconds, path, report });
  const motion = withAnimations(own, animated, { canvas, seconds });
  // the clock of a group or a video starts between two frames
  const hasClock = layer.type === "group" || content.kind === "video";
  const clock = hasClock ? { seconds: roundedSeconds(seconds) } : undefined;
  return {
    start,
    end,
    content,
    opacity,
    rotationDegrees: rotation,
    animateIn: "none",
    animateOut: "none",
    ...(effects && { effects }),
    ...((motion ?? clock) && { motion: { lead: 0, ...clock, ...motion! } }),
  };
}

/** The volume of a video moves no picture. */
function picturesOf(layer: LayerRequest): LayerRequest {
  if (layer.type !== "video" || !layer.keyframes?.volume) return layer;
  const { volume: _, ...keyframes } = layer.keyframes;
  return { ...layer, keyframes };
}

function contentOf(layer: LayerRequest, stage: LayerStage, seconds: number): GroupLayer["content"] | undefined {
  const { canvas, files, path, language } = stage;
  switch (layer.type) {
    case "text":
      return wordsOf(layer) === "" && !layer.keyframes?.text
        ? undefined
        : textContent(layer, files.get(`${path}.fontAssetId`), canvas, language);
    case "image": {
      const source = files.get(`${path}.assetId`);
      return source && imageContent({ ...layer, repeat: layer.repeat ?? true }, source, canvas);
    }
    case "video": {
      const source = files.get(`${path}.${videoField(layer)}`);
      const content = source && videoContent(layer, source, canvas, seconds);
      if (content?.kind === "video") stage.videos?.set(content, { path, request: layer });
      return content;
    }
    case "shape":
      return shapeContent(layer, canvas);
    case "lottie": {
      const source = files.get(`${path}.assetId`);
      return source && lottieContent(layer, source, stage);
    }
    case "html":
      return htmlContent(layer, stage);
    case "group":
      return groupContent(layer, stage, seconds);
  }
}

function groupContent(group: GroupLayerRequest, stage: LayerStage, visibleSeconds: number): GroupContent {
  const { speed = 1, repeat = false, stagger = 0, clip = false } = group;
  const { canvas } = stage;
  const size = { width: group.width ?? canvas.width, height: group.height ?? canvas.height };
  const visible = visibleSeconds * speed;
  const seconds = ownLength(group) ?? visible;
  const { masked: _, maskLayer: _own, ...parent } = stage;
  const end = repeat ? seconds : Math.max(0, visible);
  const list = placeList(group.layers, { ...parent, canvas: size, path: `${stage.path}.layers`, end });
  const layers = list.shown.flatMap((layer, index) => (layer ? delayed({ ...layer, index }, index * stagger) : []));
  return {
    kind: "group",
    box: boxIn(canvas, group, size),
    clips: clip,
    speed,
    repeats: repeat,
    seconds: roundedSeconds(seconds),
    layers: inOrder(layers, group),
  };
}

/** Starts later and ends when it did. */
function delayed(layer: GroupLayer, seconds: number): readonly GroupLayer[] {
  const start = layer.start + seconds;
  if (start >= layer.end) return [];
  const { motion } = layer;
  const shortened = motion && { ...motion, seconds: roundedSeconds(motion.seconds - seconds) };
  return [{ ...layer, start, ...(shortened && { motion: shortened }) }];
}

const byDefault = 2;

/** Bottom first, by the heights that the layers of a group name. */
function inOrder(layers: readonly GroupLayer[], group: GroupLayerRequest): readonly GroupLayer[] {
  const heightOf = ({ index = 0 }: GroupLayer) => group.layers[index]?.layer ?? byDefault;
  return layers.toSorted((one, other) => heightOf(one) - heightOf(other));
}

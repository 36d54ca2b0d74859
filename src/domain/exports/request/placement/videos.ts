import type { ImageContent, VideoContent } from "../../../../engine/timeline/overlay.ts";
import { pictureEnd, type Source } from "../../../../engine/timeline/source.ts";
import type { Canvas } from "../../../../engine/timeline/timeline.ts";
import { withoutUndefined } from "../../../../platform/values.ts";
import type { LayerRequest, VideoLayerRequest } from "../layers/schema.ts";
import { videoField } from "./files.ts";
import { parsedColor } from "./fills.ts";
import { roundedSeconds } from "./motion.ts";
import { sizeByFile } from "./overlays.ts";
import { boxIn } from "./shapes.ts";

/** A video that is visible for some seconds. A scene without a video shows its image, which stands still. */
export function videoContent(
  layer: VideoLayerRequest,
  source: Source,
  canvas: Canvas,
  seconds: number,
): VideoContent | ImageContent {
  const { fit = "contain", focus, zoom, cutFrom = 0, speed = 1, reverse = false, repeat = false } = layer;
  const box = boxIn(canvas, layer, sizeByFile(layer, source));
  const shown = { source, box, fit, ...withoutUndefined({ focus, zoom }) };
  if (source.facts.kind === "image") return { kind: "image", ...shown };
  return {
    kind: "video",
    ...shown,
    sourceStartSeconds: cutFrom,
    speed,
    reverses: reverse,
    repeats: repeat,
    seconds: roundedSeconds(seconds),
    ...(layer.chromaKey && { chromaKey: chromaKeyOf(layer.chromaKey) }),
  };
}

/** Where videos end on the timeline by their files: those that name no end. They count in a film without another end. */
export const videoEnds = (
  { layers = [] }: { readonly layers?: readonly LayerRequest[] | undefined },
  files: ReadonlyMap<string, Source>,
): readonly number[] =>
  layers.flatMap((layer, index) => {
    if (!endsByFile(layer)) return [];
    const { position = 0, cutFrom = 0, speed = 1 } = layer;
    const end = pictureEnd(files.get(`layers.${index}.${videoField(layer)}`)?.facts ?? {});
    return end === undefined ? [] : position + Math.max(0, end - cutFrom) / speed;
  });

/** True for a video that may last until its file ends. */
export const endsByFile = (layer: LayerRequest): layer is VideoLayerRequest =>
  layer.type === "video" && layer.end === undefined && !layer.repeat && !layer.keyframes?.speed;

const chromaKeyOf = ({ color, similarity = 0.15, smoothness = 0.1 }: NonNullable<VideoLayerRequest["chromaKey"]>) => ({
  color: parsedColor(color),
  similarity,
  smoothness,
});

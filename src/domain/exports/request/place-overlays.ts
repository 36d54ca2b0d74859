import type { Overlay, VideoContent } from "../../../engine/timeline/overlay.ts";
import type { Clip } from "../../../engine/timeline/track.ts";
import type { DomainError } from "../../../errors.ts";
import { fieldLabel, parseFieldPath } from "../../../platform/field-sentences.ts";
import type { CompleteRequest } from "./fill-from-editor.ts";
import { placeLayersInTargets, placeVersions } from "./place-in-targets.ts";
import { clipMask } from "./placement/clip-masks.ts";
import type { RequestedVideo } from "./placement/layers.ts";
import { exceededLimit, type LimitedLayer } from "./placement/limits.ts";
import { imageOverlay, inPaintOrder, type LayerContext, textOverlay, type VideoBounds } from "./placement/overlays.ts";
import { type VideoSound, videoSounds } from "./placement/video-sounds.ts";
import type { Sources } from "./sources.ts";

/** A text, an image or a layer of a request. `overlay` is undefined if it is never visible. */
export type PlacedOverlay = {
  readonly path: string;
  /** In seconds, as requested. */
  readonly position: number;
  readonly end: number;
  readonly overlay?: Overlay | undefined;
};

type PlacedOverlays = {
  /** In paint order. */
  readonly overlays: readonly PlacedOverlay[];
  /** What shows of clips. */
  readonly masks: readonly Overlay[];
  readonly videos: LayerVideos;
  /** What is wrong with them, besides missing files. */
  readonly errors: readonly DomainError[];
};

/** The videos in layers, also those that mask others. */
export type LayerVideos = {
  readonly shown: ReadonlyMap<VideoContent, RequestedVideo>;
  readonly sounds: readonly VideoSound[];
};

type OverlaySources = Pick<Sources, "images" | "fonts" | "files"> & {
  readonly language: string | undefined;
  /** The clips of the request, which may have masks. */
  readonly placedClips?: readonly Clip[];
};

/** Lays out the texts, images and layers of a request. */
export function placeOverlays(
  { texts = [], images = [], layers = [], clips = [] }: CompleteRequest,
  { files = new Map(), language, placedClips = [], ...sources }: OverlaySources,
  bounds: VideoBounds,
): PlacedOverlays {
  const errors: DomainError[] = [];
  const report = (error: DomainError) => void errors.push(error);
  const videos = new Map<VideoContent, RequestedVideo>();
  const stage = { files, language, report, videos };
  const masked = new Set([...texts, ...images, ...clips].flatMap(({ mask }) => mask?.layer ?? []));
  const placed = placeLayersInTargets(layers, stage, bounds, masked);
  const contextAt = (path: string): LayerContext => ({ ...stage, path, maskLayer: placed.maskLayer });
  const overlays = inPaintOrder<PlacedOverlay>(
    images.map((image, index) => {
      const { position, end, layer } = image;
      const [path, source] = [`images.${index}`, sources.images[index]];
      const overlay =
        source && placeVersions(image, bounds, (shown, within) => imageOverlay(shown, source, within, contextAt(path)));
      return { path, position, end, layer, overlay };
    }),
    texts.map((text, index) => {
      const { position, end, layer } = text;
      const path = `texts.${index}`;
      const overlay = placeVersions(text, bounds, (shown, within) =>
        textOverlay(shown, sources.fonts[index], within, contextAt(path)),
      );
      return { path, position, end, layer, overlay };
    }),
    placed.layers,
  ).map(({ path, position, end, overlay }) => ({ path, position, end, overlay }));
  const masks = placedClips.flatMap((clip, index) => {
    const path = `clips.${index}`;
    const overlay = clipMask(clips[index] ?? {}, clip, bounds, contextAt(path));
    return overlay ? [{ path: `${path}.mask`, name: labelOf(path), overlay }] : [];
  });
  const tooLarge = exceededLimit([...overlays.flatMap((each) => limited(each, layers)), ...masks], bounds);
  const sounds = videoSounds(overlays, videos, { ...bounds, report });
  return {
    overlays,
    masks: masks.map(({ overlay }) => overlay),
    videos: { shown: videos, sounds },
    errors: tooLarge ? [...errors, tooLarge] : errors,
  };
}

const labelOf = (path: string): string => fieldLabel(parseFieldPath(path)).toLowerCase();

/** Texts and images without effects and motion are drawn once, so they have no limit. */
function limited({ path, overlay }: PlacedOverlay, layers: NonNullable<CompleteRequest["layers"]>): LimitedLayer[] {
  const [list, index = ""] = path.split(".");
  if (!overlay || (list !== "layers" && !overlay.effects && !overlay.motion)) return [];
  const id = list === "layers" ? layers[Number(index)]?.id : undefined;
  return [{ path, name: id === undefined ? labelOf(path) : `the layer ${id}`, overlay }];
}

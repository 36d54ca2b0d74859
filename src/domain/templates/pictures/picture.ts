import type { TemplateDrawer, TemplatePicture } from "../../../engine/ports.ts";
import type { Overlay } from "../../../engine/timeline/overlay.ts";
import type { Source } from "../../../engine/timeline/source.ts";
import { isInside, toFrame } from "../../../engine/timeline/time.ts";
import type { Canvas } from "../../../engine/timeline/timeline.ts";
import type { TaskOptions } from "../../../platform/limits/concurrency-limit.ts";
import type { Asset, AssetStore } from "../../assets/assets.ts";
import { assetIdsIn } from "../../exports/request/layers/asset-ids.ts";
import type { ImageLook, TextLook } from "../../exports/request/layers/overlays.ts";
import { placeLayers } from "../../exports/request/placement/layers.ts";
import {
  imageOverlay,
  inPaintOrder,
  type LayerContext,
  textOverlay,
  type VideoBounds,
} from "../../exports/request/placement/overlays.ts";
import { sourceOf } from "../../files/file-store.ts";
import { isId } from "../../shared/ids.ts";
import { defaultResolution } from "../../works/editor-state.ts";
import { type ApplicableTemplate, type AppliedTemplate, applyTemplate, type TemplateUse } from "../apply.ts";
import type { PlaceholderValues } from "../placeholders.ts";
import { assetIdsOf } from "../use.ts";

type PicturePorts = { readonly assets: Pick<AssetStore, "findMany">; readonly templateDrawer: TemplateDrawer };

/** Draws a picture of a project's template. Placeholders show their keys. */
export async function drawTemplate(
  { assets, templateDrawer }: PicturePorts,
  template: ApplicableTemplate & { readonly projectId: string },
  options: TaskOptions,
) {
  const { projectId } = template;
  const ids = assetIdsOf(template.content).filter((id) => isId("asset", id));
  const found = ids.length > 0 ? await assets.findMany(projectId, ids) : [];
  return await templateDrawer.draw(pictureOf(template, {}, found), { ...options, scope: projectId });
}

type AnyText = AppliedTemplate["textOverlays"][string];
type AnyImage = AppliedTemplate["imageOverlays"][string];

/** In seconds; longer than usual templates with absolute times. */
const shownSeconds = 15;

/** Longer texts are cut off and more overlays left out: they are invisible in a small picture. */
const maxCharacters = 500;
const maxOverlays = 100;

/** The picture of the moment with the most visible overlays. Placeholders without a value show their keys. */
export function pictureOf(
  template: ApplicableTemplate,
  values: PlaceholderValues,
  assets: readonly Asset[],
  canvas: Canvas = sizeOf(template),
): TemplatePicture {
  const applied = filledTemplate(template, { durationSeconds: shownSeconds, canvas, values });
  const second = busiestSecond(applied);
  const { texts, images } = visibleAt(second, applied);
  const all = { position: 0, end: 1 };
  const timed = {
    texts: texts.map((text) => ({ ...text, ...all })),
    images: images.map((image) => ({ ...image, ...all })),
  };
  const files = new Map(assets.map(({ id, file }) => [id, sourceOf(file)]));
  const layers = layersAt(second, applied, files, canvas);
  return { canvas, overlays: overlaysOf(timed, layers, files, { canvas, rate: { num: 1, den: 1 }, frames: 1 }) };
}

/** How long a template is visible in its moving picture, if it is visible until the end of a video. */
const movingSeconds = 4;
const maxMovingSeconds = 6;
const movingRate = { num: 12, den: 1 };

/** The time in which the template is visible in a short video. */
export function movingPictureOf(
  template: ApplicableTemplate,
  values: PlaceholderValues,
  assets: readonly Asset[],
  canvas: Canvas = sizeOf(template),
): TemplatePicture {
  const { textOverlays, imageOverlays, layers = [] } = template.content;
  const starts = [...textOverlays, ...imageOverlays, ...layers].map(({ startPercent }) => Number(startPercent ?? 0));
  const first = Math.min(...starts);
  const durationSeconds = movingSeconds / (1 - (first >= 100 ? 0 : first) / 100);
  const applied = filledTemplate(template, { durationSeconds, canvas, values });
  const files = new Map(assets.map(({ id, file }) => [id, sourceOf(file)]));
  const bounds = { canvas, rate: movingRate, frames: toFrame(durationSeconds, movingRate) };
  const timed = {
    texts: applied.textTrackActions.map(({ id, start, end }) => ({
      ...{ ...withMoves(applied.textOverlays[id]!), position: start, end },
    })),
    images: applied.imageTrackActions.map(({ id, start, end }) => ({
      ...{ ...applied.imageOverlays[id]!, position: start, end },
    })),
  };
  const overlays = overlaysOf(timed, placedLayers(applied, files, bounds), files, bounds);
  const start = Math.min(...overlays.map(({ range }) => range.start), bounds.frames - 1);
  const end = Math.max(...overlays.map(({ range }) => range.end), start + 1);
  const frames = Math.min(end - start, maxMovingSeconds * movingRate.num);
  return { canvas, overlays, motion: { start, end: start + frames, rate: movingRate } };
}

const movesOfAnimations = {
  ...{ none: undefined, fade: { name: "fade" }, pop: { name: "pop" } },
  slideup: { name: "slide", direction: "up", distance: 120 },
  slidedown: { name: "slide", direction: "down", distance: 120 },
} as const;

/** A text whose animations are moves, which are drawn frame by frame. */
function withMoves({ animateIn = "none", animateOut = "none", ...text }: AnyText): AnyText {
  const moveOf = (animation: typeof animateIn) => {
    const move = movesOfAnimations[animation];
    return move && { ...move, seconds: 0.3 };
  };
  const [enter, exit] = [moveOf(animateIn), moveOf(animateOut)];
  return { ...text, ...(enter && { enter }), ...(exit && { exit }) };
}

/** The template with values, and with their keys for placeholders without one. */
function filledTemplate(template: ApplicableTemplate, use: TemplateUse): AppliedTemplate {
  const { pendingPlaceholders } = applyTemplate(template, use);
  const keys = Object.fromEntries(pendingPlaceholders.map((key) => [key, key]));
  return applyTemplate(template, { ...use, values: { ...keys, ...use.values } });
}

type Timed<Item> = Item & { readonly position: number; readonly end: number };

function overlaysOf(
  { texts, images }: { readonly texts: readonly Timed<AnyText>[]; readonly images: readonly Timed<AnyImage>[] },
  layers: readonly { readonly layer: number | undefined; readonly overlay: Overlay | undefined }[],
  files: ReadonlyMap<string, Source>,
  bounds: VideoBounds,
): readonly Overlay[] {
  // the casts are safe because the schema of templates has accepted the overlays; a layer that masks an overlay is not drawn
  const contextOf = ({ mask }: { readonly mask?: unknown }): LayerContext => ({
    ...{ path: "", files: filesIn({ mask }, "", files), maskLayer: () => undefined, report: () => {} },
  });
  const shortened = (text: Timed<AnyText>) => ({
    ...(text as Timed<TextLook>),
    text: text.text.slice(0, maxCharacters),
  });
  return inPaintOrder<{ readonly overlay?: Overlay | undefined }>(
    images.map((image) => ({
      layer: image.layer,
      overlay: imageOverlay(image as Timed<ImageLook>, imageIn(files, image.assetId), bounds, contextOf(image)),
    })),
    texts.map((text) => ({
      layer: text.layer,
      overlay: textOverlay(shortened(text), fontIn(files, text), bounds, contextOf(text)),
    })),
    layers,
  )
    .flatMap(({ overlay }) => overlay ?? [])
    .slice(-maxOverlays);
}

const sizeOf = ({ content: { exportSettings, layoutSize } }: ApplicableTemplate): Canvas =>
  exportSettings ?? layoutSize ?? defaultResolution;

/** The middle of the time with the most visible overlays and layers; the earliest of several. */
function busiestSecond({ textTrackActions, imageTrackActions, layers = [] }: AppliedTemplate): number {
  const ofLayers = layers.map(({ position, end }) => ({
    start: typeof position === "number" ? position : 0,
    end: typeof end === "number" ? end : shownSeconds,
  }));
  const actions = [...textTrackActions, ...imageTrackActions, ...ofLayers];
  const edges = [...new Set(actions.flatMap(({ start, end }) => [start, end]))].sort((one, other) => one - other);
  const middles = edges.slice(1).map((edge, index) => (edges[index]! + edge) / 2);
  const count = (second: number) => actions.filter(({ start, end }) => start <= second && second < end).length;
  return middles.reduce((best, middle) => (count(middle) > count(best) ? middle : best), middles[0] ?? 0);
}

function visibleAt(second: number, applied: AppliedTemplate) {
  const isVisible = ({ start, end }: { readonly start: number; readonly end: number }) =>
    start <= second && second < end;
  const { textTrackActions, textOverlays, imageTrackActions, imageOverlays } = applied;
  // safe because each action has the id of an overlay
  return {
    texts: textTrackActions.filter(isVisible).map(({ id }) => textOverlays[id]!),
    images: imageTrackActions.filter(isVisible).map(({ id }) => imageOverlays[id]!),
  };
}

/** The layers that are visible at a time, as frames of one second; they are drawn at rest. */
function layersAt(second: number, applied: AppliedTemplate, files: ReadonlyMap<string, Source>, canvas: Canvas) {
  const bounds = { canvas, rate: { num: 1, den: 1 }, frames: shownSeconds };
  return placedLayers(applied, files, bounds).map(({ layer, overlay }) => ({
    layer,
    overlay: overlay && isInside(Math.floor(second), overlay.range) ? overlay : undefined,
  }));
}

function placedLayers({ layers = [] }: AppliedTemplate, files: ReadonlyMap<string, Source>, bounds: VideoBounds) {
  const stage = { files: filesIn(layers, "layers", files), language: undefined, report: () => {} };
  // safe because the layers of a template are those of requests
  const request = layers as unknown as Parameters<typeof placeLayers>[0];
  return placeLayers(request, stage, bounds, new Set()).layers.map(({ layer, overlay }) => ({ layer, overlay }));
}

/** The existing files of a value by the paths of the fields that name them. */
const filesIn = (value: unknown, path: string, files: ReadonlyMap<string, Source>): ReadonlyMap<string, Source> =>
  new Map(
    assetIdsIn(value, path).flatMap((named) => {
      const source = files.get(named.id);
      return source?.facts.kind === named.type ? [[named.path, source] as const] : [];
    }),
  );

const noImage: Source = {
  file: "",
  hash: "",
  facts: { kind: "image", container: "png", mimeType: "image/png", extension: "png" },
};

function imageIn(files: ReadonlyMap<string, Source>, assetId: string): Source {
  const source = files.get(assetId);
  return source?.facts.kind === "image" ? source : noImage;
}

function fontIn(files: ReadonlyMap<string, Source>, { fontAssetId }: { readonly fontAssetId?: string | undefined }) {
  const source = files.get(fontAssetId ?? "");
  return source?.facts.kind === "font" ? source : undefined;
}

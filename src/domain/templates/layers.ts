import type { Canvas } from "../../engine/timeline/canvas.ts";
import type { Placement } from "../../engine/timeline/place.ts";
import { sha256Of } from "../../platform/values.ts";
import { fillAll, type PlaceholderValues, placeholderFields } from "./placeholders.ts";

/** A layer as in a request, whose schema has accepted it. */
export type TemplateLayer = { readonly [field: string]: unknown };

/** The layers of an editor's state; editors may save anything under this name. */
export const savedLayers = ({ layers }: { readonly [key: string]: unknown }): readonly TemplateLayer[] =>
  Array.isArray(layers) ? layers.filter((layer) => typeof layer === "object" && layer !== null) : [];

/** The layers of an applied template begin with its id. */
export const isOfTemplate = ({ id }: TemplateLayer): boolean => typeof id === "string" && id.startsWith("tmpl_");

/** Moves the layers that start at `begin` or later. */
export const laterBy = (layers: readonly TemplateLayer[], begin: number, seconds: number): readonly TemplateLayer[] =>
  layers.map((layer) => {
    const { position, end } = layer;
    if (typeof position !== "number" || position < begin) return layer;
    return { ...layer, position: position + seconds, ...(typeof end === "number" && { end: end + seconds }) };
  });

type FilledLayers = { readonly layers: readonly TemplateLayer[]; readonly pending: readonly string[] };

/** Fills the placeholders in all texts of layers. Throws validation_error if a text becomes too long. */
export const fillLayers = (layers: readonly TemplateLayer[], values: PlaceholderValues): FilledLayers => ({
  layers: fillAll(layers, values),
  pending: pendingIn(layers, values),
});

export const pendingIn = (layers: unknown, values: PlaceholderValues): readonly string[] => [
  ...new Set(placeholderFields(layers).flatMap(({ keys }) => keys.filter((key) => !Object.hasOwn(values, key)))),
];

const maxOwnIdCharacters = 100;

/** Ids begin with that of the template, so that they are unique in a film and applying it again replaces them. */
export function withLayerIds(layers: readonly TemplateLayer[], prefix: string): readonly TemplateLayer[] {
  const named = (layer: TemplateLayer): TemplateLayer => {
    const { id, layers: inner } = layer;
    return {
      ...layer,
      ...(id !== undefined && { id: idOf(id, prefix) }),
      ...maskedBy(layer, prefix),
      ...(Array.isArray(inner) && { layers: inner.map(named) }),
    };
  };
  return layers.map((layer, index) => named({ ...layer, id: layer.id ?? `layer ${index}` }));
}

function idOf(id: unknown, prefix: string): string {
  const text = String(id);
  return prefix + (text.length > maxOwnIdCharacters ? sha256Of(text) : text);
}

/** The mask of a layer, a text or an image with the id that its layer has in a film; nothing for another mask. */
export const maskedBy = ({ mask }: { readonly mask?: unknown }, prefix: string): { readonly mask?: object } =>
  typeof mask === "object" && mask !== null && "layer" in mask && mask.layer !== undefined
    ? { mask: { ...mask, layer: idOf(mask.layer, prefix) } }
    : {};

/** Layers of one frame as a group in another one: moves, masks and lengths scale with it. */
export function layersFor(
  layers: readonly TemplateLayer[],
  { from, to }: { readonly from: Canvas; readonly to: Canvas },
  { move, scale }: Placement,
): readonly TemplateLayer[] {
  if (layers.length === 0) return layers;
  const { x, y } = move({ x: from.width / 2, y: from.height / 2 });
  const place = { centerX: x - to.width / 2, centerY: y - to.height / 2, scale };
  return [{ type: "group", id: "layout", width: from.width, height: from.height, ...place, layers }];
}

/** The layers of a template in a video of this duration, of which shares are in seconds. */
export const layersIn = (layers: readonly TemplateLayer[], durationSeconds: number): readonly TemplateLayer[] =>
  layers.map(({ startPercent, endPercent, ...layer }) => ({
    ...layer,
    ...(typeof startPercent === "number" && { position: (startPercent * durationSeconds) / 100 }),
    ...(typeof endPercent === "number" && { end: (endPercent * durationSeconds) / 100 }),
  }));

/** Layers on the timeline of a film, of which they are visible in one part. */
export function layersWithin(
  layers: readonly TemplateLayer[],
  { start, seconds }: { readonly start: number; readonly seconds: number },
): readonly TemplateLayer[] {
  return layers.flatMap((layer) => {
    const { position, end } = layer;
    const from = typeof position === "number" ? position : 0;
    const until = typeof end === "number" ? Math.min(end, seconds) : seconds;
    return from < until ? [{ ...layer, position: start + from, end: start + until }] : [];
  });
}

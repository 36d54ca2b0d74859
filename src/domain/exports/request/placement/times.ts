import type { GroupLayerRequest, LayerRequest } from "../layers/schema.ts";

type Timed = { readonly position?: number | undefined; readonly end?: number | undefined };

/** The end of a layer on the clock of its parent; undefined for one that lasts as long as its parent. */
export function ownEnd(layer: LayerRequest): number | undefined {
  const { position = 0, end } = layer;
  if (end !== undefined || layer.type !== "group" || layer.repeat) return end;
  const length = ownLength(layer);
  return length && position + length / (layer.speed ?? 1);
}

/** The seconds until the last layer of a group ends, on its own clock; undefined if one of them has no end. */
export function ownLength({ layers }: GroupLayerRequest): number | undefined {
  const ends = layers.map(ownEnd);
  return ends.some((end) => end === undefined) ? undefined : Math.max(0, ...(ends as number[]));
}

/** The start and the end of a layer that may be visible until `parentEnd`. */
export const timesOf = (layer: LayerRequest & Timed, parentEnd: number) => ({
  start: layer.position ?? 0,
  end: Math.min(ownEnd(layer) ?? parentEnd, parentEnd),
});

import type { Overlay } from "../../../engine/timeline/overlay.ts";
import type { LayerRequest } from "./layers/schema.ts";
import { inTarget, targetsIn } from "./layers/targets.ts";
import { type PlacedLayers, placeLayers } from "./placement/layers.ts";
import type { VideoBounds } from "./placement/overlays.ts";
import { targetCanvas } from "./targets.ts";

/** Lays out a text or an image, and its versions for the targets in which it differs. */
export function placeVersions<Item extends Parameters<typeof targetsIn>[0]>(
  item: Item,
  bounds: VideoBounds,
  place: (item: Item, bounds: VideoBounds) => Overlay | undefined,
): Overlay | undefined {
  const overlay = place(item, bounds);
  const targets = targetsIn(item);
  if (!overlay || targets.length === 0) return overlay;
  const versions = targets.map((target) => {
    const canvas = targetCanvas(target, bounds.canvas);
    const shown = inTarget(item, target);
    return { canvas, overlay: shown && place(shown, { ...bounds, canvas }) };
  });
  return { ...overlay, versions };
}

type Stage = Parameters<typeof placeLayers>[1];

/** Lays out the layers of a request, and their versions. Errors of a layer are reported once. */
export function placeLayersInTargets(
  layers: readonly LayerRequest[],
  stage: Stage,
  bounds: VideoBounds,
  masked: ReadonlySet<string>,
): PlacedLayers {
  const placed = placeLayers(layers, stage, bounds, masked);
  const targets = [...new Set(layers.flatMap(targetsIn))].map((target) => {
    const canvas = targetCanvas(target, bounds.canvas);
    const shown = layers.map((layer) => inTarget(layer, target));
    const all = shown.map((layer, index) => layer ?? layers[index]!);
    const silent = { ...stage, report: () => {} };
    return { target, canvas, shown, placed: placeLayers(all, silent, { ...bounds, canvas }, masked).layers };
  });
  const withVersions = ({ overlay, ...layer }: PlacedLayers["layers"][number], index: number) => {
    const own = targetsIn(layers[index]!);
    const versions = targets
      .filter(({ target }) => own.includes(target))
      .map((each) => ({ canvas: each.canvas, overlay: each.shown[index] && each.placed[index]?.overlay }));
    return { ...layer, overlay: overlay && versions.length > 0 ? { ...overlay, versions } : overlay };
  };
  return { ...placed, layers: placed.layers.map(withVersions) };
}

import type { Effects, Filter, Mask } from "../../../../engine/timeline/motion.ts";
import type { Box, GroupLayer } from "../../../../engine/timeline/overlay.ts";
import type { Source } from "../../../../engine/timeline/source.ts";
import { withoutUndefined } from "../../../../platform/values.ts";
import type { EffectFields, FilterRequest, MaskRequest, ShadowRequest } from "../layers/effects.ts";
import { parsedColor } from "./fills.ts";

type Decorated = EffectFields & { readonly radius?: number | undefined };

/** What the effects of a layer refer to. */
export type EffectSources = {
  readonly path: string;
  readonly files: ReadonlyMap<string, Source>;
  /** The layer with an id, to mask another one; undefined if there is none. */
  readonly maskLayer: (id: string, path: string) => GroupLayer | undefined;
};

/** The box of a layer; absent for texts, whose size depends on their words, and which draw their own shadow. */
type Boxed = { readonly box?: Box; readonly hasOwnRadius?: boolean };

/** The effects of a layer; undefined for one without any. */
export function effectsOf(
  layer: Decorated,
  sources: EffectSources,
  { box, hasOwnRadius = false }: Boxed,
): Effects<GroupLayer> | undefined {
  const { anchor, scale, skewX, skewY, radius, shadow, filter, blend, mask } = layer;
  const scales = typeof scale === "number" ? { x: scale, y: scale } : scale;
  const effects = withoutUndefined({
    anchor,
    scaleX: scales?.x,
    scaleY: scales?.y,
    skewX,
    skewY,
    radius: hasOwnRadius ? undefined : radius,
    shadow: box && shadow && shadowOf(shadow),
    filter: filter && filterOf(filter),
    blend: blend === "normal" ? undefined : blend,
    mask: mask && maskOf(mask, sources, box),
  });
  return Object.keys(effects).length > 0 ? effects : undefined;
}

export const shadowOf = ({ color = "rgb(0 0 0 / 0.5)", blur = 0, x = 0, y = 0 }: ShadowRequest) => ({
  color: parsedColor(color),
  blur,
  offsetX: x,
  offsetY: y,
});

export function filterOf({ tint, ...numbers }: FilterRequest): Filter {
  const { color, amount = 1 } = tint ?? {};
  return withoutUndefined({
    ...numbers,
    tint: color === undefined ? undefined : { color: parsedColor(color), amount },
  });
}

export function maskOf(
  { shape, assetId, layer, by = "alpha", invert = false, feather = 0, ...place }: MaskRequest,
  { path, files, maskLayer }: EffectSources,
  box: Box | undefined,
): Mask<GroupLayer> | undefined {
  const edge = { invert, feather };
  if (assetId !== undefined) {
    const source = files.get(`${path}.mask.assetId`);
    return source && { kind: "image", source, by, ...edge };
  }
  if (layer !== undefined) {
    const found = maskLayer(layer, `${path}.mask.layer`);
    return found && { kind: "layer", layer: found, by, ...edge };
  }
  if (shape === "path") return { kind: "path", d: place.d ?? "", ...edge };
  const { x = 0, y = 0, width = (box?.width ?? 0) - x, height = (box?.height ?? 0) - y, radius = 0 } = place;
  return { kind: shape ?? "rect", x, y, width: Math.max(0, width), height: Math.max(0, height), radius, ...edge };
}

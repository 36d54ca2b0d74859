import { isObject, type Json, type Lottie, listOf, visitJson } from "./read.ts";

/** Effects that Skottie draws, by their types: controls, tint, fill, levels, shadow, wipe, displacement, blur and others. */
const knownEffects: ReadonlySet<unknown> = new Set([5, 20, 21, 22, 23, 24, 25, 26, 27, 29, 31, 32, 33, 34]);

const soundLayer = 6;
export const textLayer = 5;

/** What an animation has that is not drawn, in words. */
export function ignoredFeatures({ json }: Lottie): readonly string[] {
  const found = new Set<string>();
  visitJson(json, (object) => {
    if (typeof object.x === "string" && "k" in object) found.add("expressions");
    if (object.ty === soundLayer && "ks" in object) found.add("sound");
    if (listOf(object.ef).some(({ ty }) => !knownEffects.has(ty))) found.add("some effects");
    if (isTextLayer(object) && isObject(object.t) && listOf(object.t.a).length > 0 && !hasGlyphs(json)) {
      found.add("animated letters");
    }
  });
  return [...found];
}

/** True if the outlines of its letters are in the file. */
export const hasGlyphs = ({ chars }: Json): boolean => listOf(chars).length > 0;

export const isTextLayer = (object: Json): boolean => object.ty === textLayer && isObject(object.t) && "ks" in object;

const maxNames = 100;

/** The names of the text layers, which a request may replace. */
export function textLayerNames({ json }: Lottie): readonly string[] {
  const names = new Set<string>();
  visitJson(json, (object) => {
    if (isTextLayer(object) && typeof object.nm === "string" && names.size < maxNames)
      names.add(object.nm.slice(0, 100));
  });
  return [...names];
}

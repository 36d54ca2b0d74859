import { targetCanvas } from "../../exports/request/targets.ts";
import { defaultResolution } from "../../works/editor-state.ts";
import { defaultFilmSeconds, type FilmOrder } from "../film.ts";

/** Pictures of the product are shown directly if no model draws others. */
export function workFields({ brief, language, seconds, scenes, targets, resolution, models }: FilmOrder, name: string) {
  const { text = "", assetIds = [] } = brief;
  const isDrawnHere = models.image === undefined || models.image.provider === "local";
  return {
    name,
    productName: name === "Film" ? "" : name,
    productDescription: text,
    videoDuration: seconds ?? defaultFilmSeconds,
    ...(language && { language }),
    ...sceneCountOf({ scenes, isDrawnHere, assetCount: assetIds.length }),
    // the first target is the work's own frame
    resolution: targetCanvas(targets[0] ?? "", resolution ?? defaultResolution),
    ...(assetIds.length > 0 && {
      selectedAssetIds: [...assetIds],
      assetUsageMode: isDrawnHere ? ("direct" as const) : ("reference" as const),
    }),
  };
}

/** Direct assets appear once each, before an end card. */
function sceneCountOf(given: { scenes: number | undefined; isDrawnHere: boolean; assetCount: number }) {
  const { scenes, isDrawnHere, assetCount } = given;
  if (scenes !== undefined) return { sceneCount: scenes };
  return isDrawnHere && assetCount > 0 ? { sceneCount: Math.max(4, assetCount + 1) } : {};
}

import type { Asset } from "../../assets/assets.ts";
import { cleanText } from "../../shared/texts.ts";

/** One line of text for each image and video that a scenario may use. */
export const assetLines = (assets: readonly Asset[]): readonly string[] => assets.filter(isVisible).map(lineOf);

/** One line of text for each scene of a work that shows these assets themselves. Skips assets that do not exist. */
export function sceneAssetLines(
  assets: readonly Asset[],
  ids: readonly string[],
  sceneCount: number,
): readonly string[] {
  const byId = new Map(assets.filter(isVisible).map((asset) => [asset.id, asset]));
  return Array.from({ length: sceneCount }, (_, scene) => {
    const asset = byId.get(ids[scene % ids.length]!);
    return asset ? [`scene_index ${scene}: ${lineOf(asset)}`] : [];
  }).flat();
}

const isVisible = ({ type }: Asset) => type === "image" || type === "video";

/** Long enough for any description that a model writes. */
const maxDescriptionCharacters = 600;

function lineOf({ name, type, description = "" }: Asset): string {
  const subject = `${cleanText(name, 200)} (${type})`;
  return description ? `${subject}: ${cleanText(description, maxDescriptionCharacters)}` : subject;
}

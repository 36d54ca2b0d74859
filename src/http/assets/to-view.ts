import type { Asset } from "../../domain/assets/assets.ts";
import { assetPath } from "../files/internal-urls.ts";

/** An asset as callers see it. */
export function assetView({ file, thumbnailKey, speech: _, subjectBoxes: __, ...asset }: Omit<Asset, "revision">) {
  const { mimeType, width, height, durationSeconds } = file.facts;
  const url = assetPath(asset.projectId, asset.id);
  return {
    ...asset,
    filename: file.filename,
    mimeType,
    size: file.sizeBytes,
    width,
    height,
    duration: durationSeconds,
    thumbnail: thumbnailKey && `${url}/thumbnail`,
    url,
  };
}

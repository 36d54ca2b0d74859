import type { Asset } from "../../domain/assets/assets.ts";

/** An asset as callers see it. */
export function assetView({ file, thumbnailKey, ...asset }: Omit<Asset, "revision">) {
  const { mimeType, width, height, durationSeconds } = file.facts;
  const url = `/api/projects/${asset.projectId}/assets/${asset.id}`;
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

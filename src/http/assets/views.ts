import { z } from "zod";
import { assetTypes, type Asset as StoredAsset } from "../../domain/assets/assets.ts";
import { assetPath } from "../files/internal-urls.ts";
import { Id, namedObject, Timestamp } from "../schemas/responses.ts";

export const Asset = namedObject("Asset", {
  id: Id,
  projectId: Id,
  name: z.string(),
  type: z.enum(assetTypes),
  filename: z.string(),
  mimeType: z.string(),
  size: z.int().min(0).describe("Bytes."),
  width: z.int().optional().describe("Pixels, as shown: rotation and pixel shape applied."),
  height: z.int().optional().describe("Pixels, as shown."),
  duration: z.number().optional().describe("Seconds."),
  tags: z.array(z.string()).optional(),
  description: z.string().optional(),
  source: namedObject("AssetSource", {
    provider: z.string(),
    id: z.string(),
    author: z.string(),
    pageUrl: z.string(),
    licence: z.string(),
  })
    .optional()
    .describe("For stock media: the author and the licence."),
  thumbnail: z.string().optional().describe("A relative URL; images and videos have one."),
  url: z.string().describe("The relative URL of the file."),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});

export const AssetList = namedObject("AssetList", {
  assets: z.array(Asset),
  totalSize: z.int().min(0).describe("Bytes of the whole filtered list, not only this page."),
  count: z.int().min(0).describe("Assets of the whole filtered list, not only this page."),
});

export const DescribedAssets = namedObject("DescribedAssets", { assets: z.array(Asset) });

const Level = z.number().min(-1).max(1);

export const Waveform = namedObject("Waveform", {
  points: z.int().min(1),
  peaks: z.array(z.tuple([Level, Level])).describe("The lowest and the highest sample of each part, from -1 to 1."),
  seconds: z.number().min(0).describe("The length of the sound."),
});

export const Beats = namedObject("Beats", {
  bpm: z.number().min(0).describe("Beats a minute; 0 if no beats were found."),
  beats: z.array(z.number()).describe("Seconds from the start of the sound."),
  confidence: z.number().min(0).max(1).describe("How regular the sound is: below about 0.2 it has no steady beat."),
});

/** An asset as callers see it. */
export function assetView({
  file,
  thumbnailKey,
  speech: _,
  subjectBoxes: __,
  ...asset
}: Omit<StoredAsset, "revision">) {
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

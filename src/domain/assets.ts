import type { StoredFile } from "./files.ts";
import type { Page, PageRequest } from "./paging.ts";
import type { Versioned } from "./versioned.ts";

export const assetTypes = ["image", "video", "audio", "font"] as const;
export type AssetType = (typeof assetTypes)[number];

export type Asset = Versioned & {
  readonly id: string;
  readonly projectId: string;
  readonly name: string;
  readonly type: AssetType;
  readonly file: StoredFile;
  readonly tags?: readonly string[];
  readonly description?: string;
  /** Key of the small picture in the file store. */
  readonly thumbnailKey?: string;
  readonly createdAt: number;
  readonly updatedAt: number;
};

/** `count` and `totalSizeBytes` are those of the whole filtered list, whatever the page. */
export type AssetPage = Page<Asset> & { readonly count: number; readonly totalSizeBytes: number };

export type AssetStore = {
  /** Newest first. */
  list(projectId: string, filter: { type?: AssetType }, page: PageRequest): Promise<AssetPage>;
  find(projectId: string, assetId: string): Promise<Asset | undefined>;
  /** Those of the ids that exist, in any order. */
  findMany(projectId: string, assetIds: readonly string[]): Promise<readonly Asset[]>;
  /** Answers undefined when the project went away meanwhile. */
  add(asset: Asset): Promise<Asset | undefined>;
  change(projectId: string, assetId: string, edit: (found: Asset) => Asset): Promise<Asset | undefined>;
  remove(projectId: string, assetId: string, check: (found: Asset) => void): Promise<Asset | undefined>;
};

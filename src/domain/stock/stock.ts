import type { ReceivedFile } from "../../engine/ports.ts";
import type { TaskOptions } from "../../platform/limits/concurrency-limit.ts";
import { type Asset, type AssetPorts, type AssetSource, addAsset } from "../assets/assets.ts";

export const stockKinds = ["image", "video"] as const;
export const stockOrientations = ["landscape", "portrait", "square"] as const;

export type StockQuery = {
  readonly query: string;
  readonly kind: (typeof stockKinds)[number];
  readonly orientation?: (typeof stockOrientations)[number] | undefined;
  /** Counted from 1. */
  readonly page: number;
};

/** An image or a video of an archive. All URLs are http or https. */
export type StockItem = AssetSource & {
  readonly kind: StockQuery["kind"];
  readonly previewUrl: string;
  /** In pixels, of the largest file. */
  readonly width: number;
  readonly height: number;
  /** The seconds of a video. */
  readonly duration?: number;
  readonly authorUrl: string;
};

/** `next` is the number of the next page, if any. */
export type StockPage = { readonly results: readonly StockItem[]; readonly next?: number };

/** An item with its file, which the caller owns. */
type FetchedStock = {
  readonly item: StockItem;
  readonly name: string;
  /** The extension in its URL, such as `.mp4`; may be empty. */
  readonly extension: string;
  readonly received: ReceivedFile;
};

/** An archive of images and videos, with the caller's key. Its methods throw the errors of providers. */
export type StockLibrary = {
  /** Equal for all keys. */
  readonly id: string;
  search(query: StockQuery, options: Required<TaskOptions>): Promise<StockPage>;
  /** Fetches the best file for a frame of 1080 pixels. Throws asset_missing if the item does not exist. */
  fetch(id: string, options: Required<TaskOptions> & { readonly maxBytes: number }): Promise<FetchedStock>;
};

/** Keeps results for 24 hours, as the archives require. Never throws: missing results are fetched again. */
export type StockCache = {
  find(query: object): Promise<StockPage | undefined>;
  put(query: object, page: StockPage): Promise<void>;
};

/** Searches an archive, with one request for the same query in 24 hours, for all callers and keys. */
export async function searchStock(
  { stockCache }: { readonly stockCache: StockCache },
  library: StockLibrary,
  query: StockQuery,
  options: Required<TaskOptions>,
): Promise<StockPage> {
  const key = { ...query, query: query.query.toLowerCase(), provider: library.id };
  const kept = await stockCache.find(key);
  if (kept) return kept;
  const page = await library.search(query, options);
  await stockCache.put(key, page);
  return page;
}

type StockAssetPorts = AssetPorts & { readonly settings: { readonly maxUploadBytes: number } };

/** Stores an item as an asset that names its author, page and licence. `fetchSignal` aborts only its download. */
export async function addStockAsset(
  ports: StockAssetPorts,
  library: StockLibrary,
  { projectId, id }: { readonly projectId: string; readonly id: string },
  { fetchSignal, ...options }: Required<TaskOptions> & { readonly fetchSignal: AbortSignal },
): Promise<Asset> {
  const { maxUploadBytes: maxBytes } = ports.settings;
  const { item, name, extension, received } = await library.fetch(id, { ...options, signal: fetchSignal, maxBytes });
  const { provider, author, pageUrl, licence, kind: requiredKind } = item;
  const source = { provider, id: item.id, author, pageUrl, licence };
  try {
    const asset = { projectId, received, filename: `${provider}-${item.id}${extension}`, name, source };
    return await addAsset(ports, asset, { ...options, requiredKind });
  } finally {
    await ports.files.discard(received);
  }
}

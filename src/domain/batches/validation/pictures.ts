import { type ErrorCode, isDomainError } from "../../../errors.ts";
import { oncePer } from "../../../platform/async.ts";
import type { TaskOptions } from "../../../platform/limits/concurrency-limit.ts";
import { type AssetPorts, addAsset } from "../../assets/assets.ts";
import { type CompleteRequest, isPictureUrl } from "../../exports/request/fill-from-editor.ts";
import { assetIdsIn } from "../../exports/request/layers/asset-ids.ts";
import type { ErrorCollector } from "../../exports/request/validation/error-collector.ts";
import type { Fetcher } from "../../files/fetcher.ts";
import { fillPlaceholders, type PlaceholderField, type PlaceholderValues } from "../../templates/placeholders.ts";

/** Finds assets for the pictures of cells. */
export type Pictures = {
  /** The id of the asset with the picture of a URL; undefined if it is fetched later. Throws the picture's errors. */
  assetOf(url: string, path: string): Promise<string | undefined>;
};

const maxBytes = 25 * 1024 ** 2;

/** Checks URLs without fetching them. */
export const namedPictures = (fetcher: Pick<Fetcher, "checkUrl">): Pictures => ({
  async assetOf(url, path) {
    fetcher.checkUrl(url, { path });
    return undefined;
  },
});

type FetchPorts = AssetPorts & { readonly fetcher: Pick<Fetcher, "download"> };

/** Fetches each URL once. Reuses pictures that the project has, such as from yesterday's table. */
export function fetchedPictures(ports: FetchPorts, projectId: string, options: Required<TaskOptions>): Pictures {
  const fetchPicture = async (url: string, path: string): Promise<string> => {
    const received = await ports.fetcher.download(url, { path, maxBytes, ...options });
    try {
      const alike = await ports.assets.findAlike(projectId, { hashes: [received.sha256], names: [] });
      const found = alike.find(({ type }) => type === "image");
      if (found) return found.id;
      const filename = new URL(url).pathname.split("/").at(-1) || "picture";
      return (await addAsset(ports, { projectId, received, filename }, { ...options, requiredKind: "image" })).id;
    } finally {
      await ports.files.discard(received);
    }
  };
  return { assetOf: oncePer((url) => url, fetchPicture) };
}

/** The values of a row with assets in place of its URLs; `later` has the URLs that are not fetched yet. */
export async function withPictures(
  pictures: Pictures,
  { images = [], layers = [] }: Pick<CompleteRequest, "images" | "layers">,
  fields: readonly PlaceholderField[],
  values: PlaceholderValues,
  errors: ErrorCollector,
) {
  const later = new Set<string>();
  const assets: [string, string][] = [];
  const ids = [
    ...images.map(({ assetId }, at) => ({ path: `images.${at}.assetId`, id: assetId })),
    ...assetIdsIn(layers, "layers").filter(({ type }) => type === "image"),
  ];
  const idAt = new Map(ids.map(({ path, id }) => [path, id]));
  for (const { path } of fields) {
    const assetId = idAt.get(path);
    if (assetId === undefined) continue;
    const url = fillPlaceholders(assetId, values, maxUrlCharacters).text.trim();
    if (!isPictureUrl(url)) continue;
    const found = await pictureOf(pictures, url, path, errors);
    if (found === undefined) later.add(url);
    else assets.push([url, found]);
  }
  return { values: { ...values, ...Object.fromEntries(assets) }, later };
}

/** Like `Pictures.assetOf`; an error of the picture becomes an error of its row. */
export async function pictureOf(
  pictures: Pictures,
  url: string,
  path: string,
  errors: ErrorCollector,
): Promise<string | undefined> {
  try {
    return await pictures.assetOf(url, path);
  } catch (error) {
    if (!isDomainError(error) || saysNothingOfRow.includes(error.code)) throw error;
    errors.add(error, path);
    return undefined;
  }
}

const maxUrlCharacters = 20_000;

const saysNothingOfRow: readonly ErrorCode[] = ["unavailable", "busy", "limit_reached", "storage_full"];

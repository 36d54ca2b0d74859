import { z } from "zod";
import type { StockItem, StockQuery } from "../../domain/stock/stock.ts";
import type { ModelCredentials } from "../client/credentials.ts";
import type { ModelPorts, ProviderRow } from "../client/rows.ts";
import {
  bestRendition,
  type FoundItem,
  isOriented,
  nameFor,
  pageSize,
  stockId,
  stockLibrary,
  WebUrl,
} from "./library.ts";

const licence = "Pixabay Content License, https://pixabay.com/service/license-summary/";

const common = {
  id: z.int().positive(),
  pageURL: WebUrl,
  tags: z.string(),
  user: z.string(),
  user_id: z.int(),
};

const Image = z.object({
  ...common,
  webformatURL: WebUrl,
  largeImageURL: WebUrl,
  /** Both exist only for keys with full access. */
  fullHDURL: WebUrl.nullish(),
  imageURL: WebUrl.nullish(),
  imageWidth: z.int().positive(),
  imageHeight: z.int().positive(),
});

/** Some videos have no large file: its URL is empty. */
const Rendition = z.object({
  url: z.union([WebUrl, z.literal("")]),
  width: z.int().min(0),
  height: z.int().min(0),
  thumbnail: z.union([WebUrl, z.literal("")]).nullish(),
});

const Video = z.object({
  ...common,
  duration: z.number().positive(),
  videos: z.object({ large: Rendition.nullish(), medium: Rendition, small: Rendition, tiny: Rendition }),
});

const Page = z.object({ totalHits: z.int().min(0), hits: z.array(z.union([Video, Image])) });

type Hit = z.output<typeof Page>["hits"][number];

const renditionsOf = ({ videos }: z.output<typeof Video>) =>
  Object.values(videos).flatMap((rendition) => (rendition?.url ? [rendition] : []));

function toItem(hit: Hit): FoundItem | undefined {
  const { id, pageURL: pageUrl, user: author, user_id, tags } = hit;
  const authorUrl = new URL(`https://pixabay.com/users/${encodeURIComponent(author)}-${user_id}/`).href;
  const origin = { provider: "pixabay", author, authorUrl, pageUrl, licence };
  const name = nameFor(tags, `Pixabay ${id}`);
  if ("videos" in hit) {
    const renditions = renditionsOf(hit);
    const best = bestRendition(renditions);
    const largest = renditions.toSorted((one, other) => other.width - one.width)[0];
    if (!best || !largest) return undefined;
    const { width, height } = largest;
    const previewUrl = renditions.map(({ thumbnail }) => thumbnail).findLast(Boolean) ?? pageUrl;
    const { duration } = hit;
    const item: StockItem = { ...origin, id: stockId("video", id), kind: "video", previewUrl, width, height, duration };
    return { item, name, fileUrl: best.url };
  }
  const { webformatURL: previewUrl, imageWidth: width, imageHeight: height } = hit;
  const item: StockItem = { ...origin, id: stockId("image", id), kind: "image", previewUrl, width, height };
  return { item, name, fileUrl: hit.imageURL ?? hit.fullHDURL ?? hit.largeImageURL };
}

/** The API cannot filter squares, nor videos by orientation. */
const orientations = { landscape: "horizontal", portrait: "vertical", square: undefined };

const pixabayStock = (credentials: ModelCredentials, ports: ModelPorts) => {
  const { apiKey: key, baseUrl } = credentials;
  const urlFor = (kind: StockQuery["kind"], fields: Record<string, string>) => {
    const url = new URL(`${baseUrl}/${kind === "video" ? "videos/" : ""}`);
    url.search = new URLSearchParams({ key, ...fields }).toString();
    return url;
  };
  return stockLibrary(
    {
      searchUrl({ query: q, kind, orientation, page }) {
        const wanted = kind === "image" && orientation && orientations[orientation];
        const paging = { page: `${page}`, per_page: `${pageSize}` };
        return urlFor(kind, { q, ...paging, safesearch: "true", ...(wanted && { orientation: wanted }) });
      },
      itemUrl: (kind, id) => urlFor(kind, { id }),
      Page,
      Item: Page,
      toPage: ({ hits, totalHits }, query) => ({
        results: hits.flatMap((hit) => toItem(hit)?.item ?? []).filter((item) => isOriented(item, query)),
        ...(query.page * pageSize < totalHits && { next: query.page + 1 }),
      }),
      toItem: ({ hits: [hit] }) => hit && toItem(hit),
    },
    credentials,
    ports,
  );
};

export const pixabay: ProviderRow = {
  id: "pixabay",
  name: "Pixabay",
  api: { setting: "PIXABAY", baseUrl: "https://pixabay.com/api" },
  stock: {
    models: [{ id: "search", name: "Search" }],
    create: pixabayStock,
    description: "Images and videos of Pixabay. Needs your Pixabay key.",
  },
};

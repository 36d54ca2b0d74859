import { z } from "zod";
import type { StockItem } from "../../domain/stock/stock.ts";
import type { ModelCredentials } from "../client/credentials.ts";
import type { ModelPorts, ProviderRow } from "../client/rows.ts";
import { bestRendition, type FoundItem, nameFor, pageSize, stockId, stockLibrary, WebUrl } from "./library.ts";

const licence = "Pexels License, https://www.pexels.com/license/";

const size = { width: z.int().positive(), height: z.int().positive() };

const Photo = z.object({
  id: z.int().positive(),
  ...size,
  url: WebUrl,
  photographer: z.string(),
  photographer_url: WebUrl,
  src: z.object({ original: WebUrl, medium: WebUrl }),
  alt: z.string().nullish(),
});

const Video = z.object({
  id: z.int().positive(),
  ...size,
  url: WebUrl,
  image: WebUrl,
  duration: z.number().positive(),
  user: z.object({ name: z.string(), url: WebUrl }),
  video_files: z.array(
    z.object({ link: WebUrl, file_type: z.string(), width: z.int().nullish(), height: z.int().nullish() }),
  ),
});

const Page = z.object({
  next_page: z.string().nullish(),
  photos: z.array(Photo).optional(),
  videos: z.array(Video).optional(),
});

const photoItem = ({ id, width, height, url: pageUrl, src, ...photo }: z.output<typeof Photo>): StockItem => ({
  ...{ provider: "pexels", id: stockId("image", id), kind: "image", previewUrl: src.medium, width, height },
  ...{ author: photo.photographer, authorUrl: photo.photographer_url, pageUrl, licence },
});

const videoItem = ({ id, width, height, url: pageUrl, ...video }: z.output<typeof Video>): StockItem => ({
  ...{ provider: "pexels", id: stockId("video", id), kind: "video", previewUrl: video.image, width, height },
  ...{ duration: video.duration, author: video.user.name, authorUrl: video.user.url, pageUrl, licence },
});

function toItem(body: z.output<typeof Photo> | z.output<typeof Video>): FoundItem | undefined {
  if ("src" in body) {
    return { item: photoItem(body), name: nameFor(body.alt, `Pexels ${body.id}`), fileUrl: body.src.original };
  }
  const files = body.video_files.filter(({ file_type }) => file_type === "video/mp4");
  const best = bestRendition(
    files.map(({ link, width, height }) => ({ url: link, width: width ?? 0, height: height ?? 0 })),
  );
  return best && { item: videoItem(body), name: `Pexels ${body.id}`, fileUrl: best.url };
}

const pexelsStock = (credentials: ModelCredentials, ports: ModelPorts) => {
  const { apiKey, baseUrl } = credentials;
  return stockLibrary(
    {
      headers: { authorization: apiKey },
      searchUrl({ query, kind, orientation, page }) {
        const url = new URL(`${baseUrl}/${kind === "image" ? "v1" : "videos"}/search`);
        const wanted = { query, page: `${page}`, per_page: `${pageSize}`, ...(orientation && { orientation }) };
        url.search = new URLSearchParams(wanted).toString();
        return url;
      },
      itemUrl: (kind, number) => new URL(`${baseUrl}/${kind === "image" ? "v1/photos" : "videos/videos"}/${number}`),
      Page,
      Item: z.union([Photo, Video]),
      toPage: ({ photos = [], videos = [], next_page }, { page }) => ({
        results: [...photos.map(photoItem), ...videos.map(videoItem)],
        ...(next_page && { next: page + 1 }),
      }),
      toItem,
    },
    credentials,
    ports,
  );
};

export const pexels: ProviderRow = {
  id: "pexels",
  name: "Pexels",
  api: { setting: "PEXELS", baseUrl: "https://api.pexels.com" },
  stock: {
    models: [{ id: "search", name: "Search" }],
    create: pexelsStock,
    description: "Photos and videos of Pexels. Needs your Pexels key.",
  },
};

import { z } from "zod";
import type { StockItem, StockLibrary, StockPage, StockQuery } from "../../domain/stock/stock.ts";
import { DomainError, isDomainError } from "../../errors.ts";
import type { ModelCredentials } from "../client/credentials.ts";
import { badResponse } from "../client/errors.ts";
import { requestJson } from "../client/json-client.ts";
import { maxTextResponseBytes } from "../client/limited-fetch.ts";
import { receiveResult } from "../client/results.ts";
import type { ModelPorts } from "../client/rows.ts";

export const pageSize = 24;

/** A link for clients: never a script. */
export const WebUrl = z.url({ protocol: /^https?$/ });

/** One of an archive's files of a video. */
type Rendition = { readonly url: string; readonly width: number; readonly height: number };

/** An item with the URL of its file. */
export type FoundItem = { readonly item: StockItem; readonly name: string; readonly fileUrl: string };

/** The differences between the archives. */
type StockApi<Body, Single> = {
  readonly headers?: Readonly<Record<string, string>>;
  readonly searchUrl: (query: StockQuery) => URL;
  readonly itemUrl: (kind: StockQuery["kind"], number: string) => URL;
  readonly Page: z.ZodType<Body>;
  readonly Item: z.ZodType<Single>;
  readonly toPage: (body: Body, query: StockQuery) => StockPage;
  /** Undefined if the answer contains none. */
  readonly toItem: (body: Single) => FoundItem | undefined;
};

/** Images and videos are numbered separately: those of videos get a prefix. */
const videoPrefix = "video-";
export const stockId = (kind: StockQuery["kind"], number: number): string =>
  `${kind === "video" ? videoPrefix : ""}${number}`;

/** An archive by its API. Only the API gets the caller's key, never the hosts of files. */
export function stockLibrary<Body, Single>(
  api: StockApi<Body, Single>,
  credentials: ModelCredentials,
  ports: ModelPorts,
): StockLibrary {
  const read = <Answer>(url: URL, responseSchema: z.ZodType<Answer>, signal: AbortSignal) => {
    const request = { credentials, headers: api.headers ?? {}, method: "GET" as const, responseSchema };
    return requestJson({ ...request, url: url.href, maxBytes: maxTextResponseBytes }, signal);
  };
  const find = async (id: string, signal: AbortSignal) => {
    const [, prefix, number] = /^(video-)?([0-9]{1,15})$/.exec(id) ?? [];
    if (!number) throw itemMissing();
    const found = await read(api.itemUrl(prefix ? "video" : "image", number), api.Item, signal).catch((error) => {
      // a missing path, whose error models share
      throw isDomainError(error) && error.code === "provider_model_unavailable" ? itemMissing() : error;
    });
    const item = api.toItem(found);
    if (!item) throw itemMissing();
    return item;
  };
  return {
    id: credentials.providerId,

    search: async (query, { signal }) => api.toPage(await read(api.searchUrl(query), api.Page, signal), query),

    async fetch(id, { maxBytes, ...taskOptions }) {
      const { signal } = taskOptions;
      const { fileUrl, ...found } = await find(id, signal);
      const options = { credentials, ports, call: { taskOptions }, signal, maxBytes };
      const received = await receiveResult({ url: fileUrl }, options);
      const [extension = ""] = /\.[a-z0-9]{2,4}$/.exec(new URL(fileUrl).pathname) ?? [];
      if (await isMedia(received.path)) return { ...found, extension, received };
      await ports.files.discard(received);
      throw badResponse(credentials, "it is not the file of an image or a video");
    },
  };
}

const itemMissing = () => new DomainError("asset_missing", { path: "id", what: "The image or video of the archive" });

/** Error pages are texts. Inspection detects the type. */
const isMedia = async (path: string) => !/^\s*[<{[]/.test(await Bun.file(path).slice(0, 64).text());

const wantedSide = 1080;

/** The smallest file that fills a frame of 1080 pixels, else the largest. */
export function bestRendition(renditions: readonly Rendition[]): Rendition | undefined {
  const shortSide = ({ width, height }: Rendition) => Math.min(width, height);
  const bySize = renditions.toSorted((one, other) => shortSide(one) - shortSide(other));
  return bySize.find((rendition) => shortSide(rendition) >= wantedSide) ?? bySize.at(-1);
}

/** The filter for archives whose API has none. */
export const isOriented = ({ width, height }: Pick<StockItem, "width" | "height">, { orientation }: StockQuery) => {
  if (!orientation) return true;
  const ratio = width / height;
  if (orientation === "square") return ratio > 0.9 && ratio < 1.1;
  return orientation === "landscape" ? ratio > 1 : ratio < 1;
};

export const nameFor = (text: string | null | undefined, fallback: string): string =>
  text?.trim().slice(0, 200).trim() || fallback;

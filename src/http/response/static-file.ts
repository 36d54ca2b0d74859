import type { Handler } from "hono";
import { once } from "../../platform/async.ts";
import { sha256Of } from "../../platform/values.ts";
import type { AppEnv } from "../app-env.ts";
import { sendFile } from "./send-file.ts";

type Source = { readonly name: string; readonly bytes: Uint8Array<ArrayBuffer> };

type StaticFile = ({ readonly url: URL } | { readonly source: Source }) & {
  readonly mimeType: string;
  /** How long caches keep it without revalidating; by default they revalidate each time and get 304. */
  readonly maxAgeSeconds?: number;
  readonly headers?: Readonly<Record<string, string>>;
};

type Loaded = { readonly bytes: Uint8Array<ArrayBuffer>; readonly hash: string };

const compressible = /^(text\/|font\/ttf|image\/svg|application\/json)/;

/** Serves a file of the program to anyone, with ranges and ETag, gzipped if that is smaller. */
export function staticFile({ mimeType, maxAgeSeconds, headers = {}, ...file }: StaticFile): Handler<AppEnv> {
  const filename =
    "source" in file ? file.source.name : file.url.pathname.slice(file.url.pathname.lastIndexOf("/") + 1);
  const isCompressed = compressible.test(mimeType);
  const load = once(async (): Promise<Loaded> => {
    const bytes = "source" in file ? file.source.bytes : await Bun.file(file.url).bytes();
    return { bytes, hash: sha256Of(bytes) };
  });
  const loadCompressed = once(async (): Promise<Loaded> => {
    const { bytes, hash } = await load();
    return { bytes: Bun.gzipSync(bytes), hash: `${hash}-gzip` };
  });

  return async (c) => {
    const isZipped = isCompressed && acceptsGzip(c.req.header("accept-encoding"));
    const { bytes, hash } = await (isZipped ? loadCompressed() : load());
    const response = await sendFile(c, {
      sizeBytes: bytes.byteLength,
      mimeType,
      filename,
      disposition: "inline",
      contentHash: hash,
      read: async (start, end) => new Blob([bytes.subarray(start, end)]),
    });
    response.headers.set("Cache-Control", maxAgeSeconds ? `public, max-age=${maxAgeSeconds}` : "public, no-cache");
    if (isCompressed) response.headers.set("Vary", "Accept-Encoding");
    if (isZipped) response.headers.set("Content-Encoding", "gzip");
    for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
    return response;
  };
}

/** True unless gzip is missing or has the weight 0. */
const acceptsGzip = (header = ""): boolean => /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i.test(header);

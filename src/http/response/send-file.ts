import type { Context } from "hono";
import type { Asset } from "../../domain/assets/assets.ts";
import type { FileStore, StoredFile } from "../../domain/files/file-store.ts";
import { requireFound } from "../../domain/shared/versioned.ts";
import type { AppEnv } from "../app-env.ts";
import { contentDisposition } from "./disposition.ts";
import { isKnown } from "./etag.ts";
import { rangeStillGood, requestedRange } from "./ranges.ts";

/** Bytes to send, and what to say of them. */
export type SentFile = {
  readonly sizeBytes: number;
  readonly mimeType: string;
  readonly filename: string;
  readonly disposition: "inline" | "attachment";
  /** Changes with every byte; a file without one cannot be asked for in parts. */
  readonly contentHash?: string;
  /**
   * The bytes from `start` up to, not including, `end`. Only a Blob or the stream of one, such as Bun.file gives,
   * keeps its Content-Length on the wire: Bun sends every other stream in chunks of untold length.
   */
  read(start: number, end: number): ReadableStream<Uint8Array> | Blob;
};

/** More than any small picture has. */
const maxThumbnailBytes = 4 * 1024 * 1024;

/** Answers GET and HEAD of a file: whole, one part of it, or the word that the caller has it already. */
export function sendFile(c: Context<AppEnv>, file: SentFile): Response {
  const { sizeBytes, contentHash } = file;
  const etag = contentHash && `"${contentHash}"`;
  const headers = headersOf(file, etag);
  if (etag && isKnown(c.req.header("if-none-match"), etag)) return new Response(null, { status: 304, headers });

  const range = etag ? wantedRange(c, sizeBytes, etag) : undefined;
  const { start, end } = range ?? { start: 0, end: sizeBytes };
  headers.set("Content-Length", `${end - start}`);
  if (range) headers.set("Content-Range", `bytes ${start}-${end - 1}/${sizeBytes}`);
  const body = c.req.method === "HEAD" ? null : file.read(start, end);
  return new Response(body, { status: range ? 206 : 200, headers });
}

/** Sends a file of the store, to be shown in place. */
export const sendStored = (c: Context<AppEnv>, files: FileStore, { key, ...file }: StoredFile): Response =>
  sendFile(c, {
    sizeBytes: file.sizeBytes,
    mimeType: file.facts.mimeType,
    filename: file.filename,
    disposition: "inline",
    contentHash: file.sha256,
    read: (start, end) => files.read(key, start, end),
  });

/** Sends the small picture of an asset, or tells that there is none. */
export async function sendThumbnail(c: Context<AppEnv>, files: FileStore, { name, thumbnailKey }: Asset) {
  const key = requireFound(thumbnailKey);
  const bytes = await new Response(files.read(key, 0, maxThumbnailBytes)).bytes();
  return sendFile(c, {
    sizeBytes: bytes.byteLength,
    mimeType: "image/webp",
    filename: `${name}.webp`,
    disposition: "inline",
    // a key is never used for other bytes
    contentHash: key,
    read: (start, end) => new Blob([bytes.subarray(start, end)]),
  });
}

function wantedRange(c: Context<AppEnv>, sizeBytes: number, etag: string) {
  if (c.req.method !== "GET" || !rangeStillGood(c.req.header("if-range"), etag)) return undefined;
  return requestedRange(c.req.header("range"), sizeBytes);
}

/** Uploads are strangers' bytes: nothing in them may run, be guessed at, or stay in a shared cache. */
const headersOf = ({ mimeType, filename, disposition }: SentFile, etag: string | undefined): Headers =>
  new Headers({
    "Content-Type": mimeType,
    "Content-Disposition": contentDisposition(disposition, filename),
    "Content-Security-Policy": "sandbox; default-src 'none'",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "private, no-cache",
    ...(etag && { ETag: etag, "Accept-Ranges": "bytes" }),
  });

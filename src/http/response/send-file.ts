import { create } from "content-disposition";
import type { Context } from "hono";
import type { Asset } from "../../domain/assets/assets.ts";
import { requireFound } from "../../domain/shared/versioned.ts";
import type { FileReference, FileStore, StoredFile } from "../../engine/ports.ts";
import { DomainError } from "../../errors.ts";
import { isLost } from "../../platform/files.ts";
import { sha256Of } from "../../platform/values.ts";
import type { AppEnv } from "../app-env.ts";
import { matchesEtag } from "./etag.ts";

export type SentFile = {
  readonly sizeBytes: number;
  readonly mimeType: string;
  readonly filename: string;
  readonly disposition: "inline" | "attachment";
  /** Becomes the ETag; a file without one is always sent whole. */
  readonly contentHash?: string;
  /** The URL never gives other bytes. */
  readonly isImmutable?: boolean;
  /**
   * The bytes from `start` up to, but not including, `end`. Bun sends a stream chunked, without Content-Length, unless
   * it is a Blob or a Blob's stream, such as Bun.file's.
   */
  read(start: number, end: number): Promise<ReadableStream<Uint8Array> | Blob>;
  /** The URL of the file for GET requests, which are redirected there. */
  publicUrl?(headers: { readonly contentType: string; readonly contentDisposition: string }): Promise<string>;
};

/** Larger than any thumbnail. */
const maxThumbnailBytes = 4 * 1024 * 1024;

/** Serves GET and HEAD with 200, 206 (one range), 304, or 302 to the file's public URL. */
export async function sendFile(c: Context<AppEnv>, file: SentFile): Promise<Response> {
  const { sizeBytes, contentHash } = file;
  const etag = contentHash && `"${contentHash}"`;
  const headers = headersOf(file, etag);
  if (etag && matchesEtag(c.req.header("if-none-match"), etag)) return new Response(null, { status: 304, headers });

  const range = etag ? rangeToSend(c, sizeBytes, etag) : undefined;
  if (file.publicUrl && c.req.method === "GET") return await redirect(file, file.publicUrl);
  const { start, end } = range ?? { start: 0, end: sizeBytes };
  headers.set("Content-Length", `${end - start}`);
  if (range) headers.set("Content-Range", `bytes ${start}-${end - 1}/${sizeBytes}`);
  // HEAD reads nothing, but fails for a file that GET could not send
  const body = await (c.req.method === "HEAD" ? file.read(start, start) : file.read(start, end)).catch(asDamaged(file));
  return new Response(c.req.method === "HEAD" ? null : body, { status: range ? 206 : 200, headers });
}

const asDamaged =
  ({ filename }: Pick<SentFile, "filename">) =>
  (error: unknown): never => {
    const facts = { path: "", what: `The file ${filename}`, isDamaged: true };
    throw isLost(error) ? new DomainError("source_unreadable", facts, { cause: error }) : error;
  };

async function redirect({ mimeType, disposition, filename }: SentFile, publicUrl: NonNullable<SentFile["publicUrl"]>) {
  const url = await publicUrl({ contentType: mimeType, contentDisposition: contentDisposition(disposition, filename) });
  return new Response(null, { status: 302, headers: { Location: url, "Cache-Control": "private, no-store" } });
}

export const sentFrom = (files: FileStore, file: FileReference): Pick<SentFile, "read" | "publicUrl"> => ({
  read: (start, end) => files.read(file, start, end),
  ...(files.publicUrl && { publicUrl: files.publicUrl.bind(undefined, file.key) }),
});

export const sendStoredFile = (c: Context<AppEnv>, files: FileStore, file: StoredFile): Promise<Response> =>
  sendFile(c, {
    sizeBytes: file.sizeBytes,
    mimeType: file.facts.mimeType,
    filename: file.filename,
    disposition: "inline",
    contentHash: file.sha256,
    ...sentFrom(files, file),
  });

type SentBytes = Pick<SentFile, "mimeType" | "filename" | "contentHash" | "isImmutable"> & {
  readonly bytes: Uint8Array;
};

/** Sends bytes from memory, for display in the browser. By default, the ETag is their hash. */
export const sendBytes = (c: Context<AppEnv>, { bytes, contentHash = sha256Of(bytes), ...file }: SentBytes) =>
  sendFile(c, {
    ...file,
    contentHash,
    sizeBytes: bytes.byteLength,
    disposition: "inline",
    // a copy, because a Blob does not accept shared memory
    read: async (start, end) => new Blob([new Uint8Array(bytes.subarray(start, end))]),
  });

/** Sends an asset's thumbnail; throws not_found if it has none. */
export async function sendThumbnail(c: Context<AppEnv>, files: FileStore, { name, thumbnailKey }: Asset) {
  const key = requireFound(thumbnailKey);
  const filename = `${name}.webp`;
  const read = async () => new Response(await files.read({ key }, 0, maxThumbnailBytes)).bytes();
  const bytes = await read().catch(asDamaged({ filename }));
  // keys are unique: no other bytes ever get the same key
  return sendBytes(c, { bytes, mimeType: "image/webp", filename, contentHash: key });
}

function rangeToSend(c: Context<AppEnv>, sizeBytes: number, etag: string) {
  if (c.req.method !== "GET" || !ifRangeMatches(c.req.header("if-range"), etag)) return undefined;
  return requestedRange(c.req.header("range"), sizeBytes);
}

/** Uploaded bytes are untrusted: no scripts, no MIME sniffing, no shared caches. */
const headersOf = ({ mimeType, filename, disposition, isImmutable }: SentFile, etag: string | undefined): Headers =>
  new Headers({
    "Content-Type": mimeType,
    "Content-Disposition": contentDisposition(disposition, filename),
    "Content-Security-Policy": "sandbox; default-src 'none'",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": isImmutable ? "private, max-age=31536000, immutable" : "private, no-cache",
    ...(etag && { ETag: etag, "Accept-Ranges": "bytes" }),
  });

/** RFC 6266 with RFC 8187 for non-ASCII names. */
export function contentDisposition(type: "inline" | "attachment", filename: string): string {
  // headers must not contain line breaks
  const singleLine = filename.toWellFormed().replace(/\p{Cc}+/gu, " ");
  // the package omits quotes where it can, but some clients parse quoted names only
  return create(singleLine, { type }).replace(/^(\w+; filename=)([^";]+)/, '$1"$2"');
}

/** Bytes from `start` up to, but not including, `end`. */
type ByteRange = { readonly start: number; readonly end: number };

/** Parses a Range header with one byte range. Undefined (the whole file) for other units, lists and syntax errors. */
function requestedRange(header: string | undefined, sizeBytes: number): ByteRange | undefined {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/i.exec(header?.trim() ?? "") ?? [];
  if (first === undefined || last === undefined || first + last === "") return undefined;
  if (first !== "" && last !== "" && Number(last) < Number(first)) return undefined;

  const start = first === "" ? Math.max(0, sizeBytes - Number(last)) : Number(first);
  const end = first === "" || last === "" ? sizeBytes : Math.min(Number(last) + 1, sizeBytes);
  if (start >= end) throw new DomainError("range_not_satisfiable", { sizeBytes });
  return { start, end };
}

/** True if If-Range is absent or equals this strong tag. A date never matches: responses have no Last-Modified. */
const ifRangeMatches = (header: string | undefined, etag: string): boolean =>
  header === undefined || header.trim() === etag;

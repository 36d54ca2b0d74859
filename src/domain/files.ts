import type { Readable } from "node:stream";
import type { MediaFacts } from "../timeline/source.ts";

/** Bytes that have arrived whole, and belong to nobody yet. */
export type ReceivedFile = { readonly path: string; readonly sizeBytes: number; readonly sha256: string };

/** A file in the store and what is known of it. */
export type StoredFile = {
  readonly key: string;
  readonly sizeBytes: number;
  readonly sha256: string;
  /** As the person who uploaded it named it: for display and download, never for a path. */
  readonly filename: string;
  readonly facts: MediaFacts;
};

export type FileStore = {
  /** Streams bytes to a private file. Throws payload_too_large past `maxBytes`; a failure leaves no file behind. */
  receive(bytes: Readable, maxBytes: number): Promise<ReceivedFile>;
  /** Moves a received file into the store, safe on disk when this resolves. */
  keep(file: ReceivedFile, key: string): Promise<void>;
  /** Removes a received file that was not kept; never throws. */
  discard(file: ReceivedFile): Promise<void>;
  /** The bytes from `start` up to, not including, `end`. */
  read(key: string, start: number, end: number): ReadableStream<Uint8Array>;
  /** A path that ffmpeg can open while the file is in the store. */
  localPath(key: string): Promise<string>;
  /** Removes files; those that are gone already are fine. */
  remove(keys: readonly string[]): Promise<void>;
  /** A fresh private folder for one job, on the store's own disk. */
  jobFolder(): Promise<string>;
};

/** Tells what a file is from its bytes alone. */
export type Inspector = {
  /** Throws unsupported_media_type with a clear sentence for anything that is not taken. */
  inspect(path: string): Promise<MediaFacts>;
  /** A small WebP picture of an image or a video; undefined when there is none to make. */
  thumbnail(path: string, facts: MediaFacts): Promise<Uint8Array | undefined>;
};

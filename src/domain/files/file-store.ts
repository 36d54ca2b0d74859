import { Readable } from "node:stream";
import { DomainError } from "../../errors.ts";
import type { MediaFacts } from "../../timeline/source.ts";
import { newId } from "../shared/ids.ts";
import { requireFound } from "../shared/versioned.ts";
import { displayFilename } from "./filenames.ts";

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
  keep(file: Pick<ReceivedFile, "path">, key: string): Promise<void>;
  /** Puts a finished file of a job folder into the store as well, safe on disk when this resolves. It may not change any more. */
  keepToo(path: string, key: string): Promise<void>;
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

type FilePorts = { readonly files: FileStore; readonly inspector: Inspector };

/** A received file, and what its caller called it. */
export type Arrival = { readonly received: ReceivedFile; readonly filename: string };

const nameInStore = (ownerId: string, extension: string) => `${ownerId}/${newId("media")}.${extension}`;

/** Tells a received file by its bytes and puts it into the store under a name of our own, in its owner's folder. */
export async function keepFile(
  { files, inspector }: FilePorts,
  ownerId: string,
  { received, filename }: Arrival,
  only?: MediaFacts["kind"],
): Promise<StoredFile> {
  const facts = await inspector.inspect(received.path);
  if (only && facts.kind !== only) {
    throw new DomainError("unsupported_media_type", { reason: `This file is of the type ${facts.kind}, not ${only}.` });
  }
  const key = nameInStore(ownerId, facts.extension);
  await files.keep(received, key);
  const { sizeBytes, sha256 } = received;
  return { key, sizeBytes, sha256, filename: displayFilename(filename) || `${facts.kind}.${facts.extension}`, facts };
}

/** Makes and keeps a small picture of a stored file. It may fail: the file is good without one. */
export async function keepThumbnail(
  { files, inspector }: FilePorts,
  ownerId: string,
  { key, facts }: StoredFile,
): Promise<string | undefined> {
  try {
    const picture = await inspector.thumbnail(await files.localPath(key), facts);
    if (!picture) return undefined;
    const thumbnailKey = nameInStore(ownerId, "webp");
    await files.keep(await files.receive(Readable.from([picture]), picture.byteLength), thumbnailKey);
    return thumbnailKey;
  } catch {
    return undefined;
  }
}

/**
 * Runs the step that gives kept files their owner; when it fails they go, so none is left that nothing names.
 * Throws not_found when the step answers undefined: the owner went away meanwhile.
 */
export async function orRemove<Result>(
  files: FileStore,
  keys: readonly string[],
  step: () => Promise<Result | undefined>,
): Promise<Result> {
  try {
    return requireFound(await step());
  } catch (error) {
    await files.remove(keys);
    throw error;
  }
}

import { Readable } from "node:stream";
import type { ReadableStream as NodeWebStream } from "node:stream/web";
import type { FileReference, FileStore, Inspector, ReceivedFile, StoredFile } from "../../engine/ports.ts";
import type { MediaFacts, Source } from "../../engine/timeline/source.ts";
import { isUnavailable } from "../../errors.ts";
import type { TaskOptions } from "../../platform/limits/concurrency-limit.ts";
import { newId } from "../shared/ids.ts";
import { requireFound } from "../shared/versioned.ts";
import { inspectFile } from "./inspect-file.ts";

export const sourceOf = ({ key, sha256, sizeBytes, facts }: StoredFile): Source => ({
  file: key,
  hash: sha256,
  sizeBytes,
  facts,
});

type FilePorts = { readonly files: FileStore; readonly inspector: Inspector };

/** Facts that the bytes do not show: the model that made the file, and the manifest of the file that it shows. */
export type KnownOrigin = Pick<MediaFacts, "generatedBy" | "manifest">;

export type NamedFile = KnownOrigin & { readonly received: ReceivedFile; readonly filename: string };

const newFileKey = (folder: string, extension: string) => `${folder}/${newId("media")}.${extension}`;

/** Stores a file under a new key. Throws unsupported_media_type, also for another kind than `requiredKind`. */
export async function storeFile(
  { files, inspector }: FilePorts,
  folder: string,
  { received, filename, generatedBy, manifest }: NamedFile,
  { requiredKind, ...options }: TaskOptions & { readonly requiredKind?: MediaFacts["kind"] },
): Promise<StoredFile> {
  const inspected = await inspectFile(inspector, received.path, requiredKind ?? "any", options);
  const facts = { ...inspected, ...(generatedBy && { generatedBy }), ...(manifest && { manifest }) };
  const key = newFileKey(folder, facts.extension);
  await files.store(received, key);
  const { sizeBytes, sha256 } = received;
  return { key, sizeBytes, sha256, filename: displayFilename(filename) || `${facts.kind}.${facts.extension}`, facts };
}

/** Stores a file a second time, under a new key in a folder, without copying its bytes. */
export async function linkFile(
  { files }: Pick<FilePorts, "files">,
  folder: string,
  file: StoredFile,
): Promise<StoredFile> {
  const key = newFileKey(folder, file.facts.extension);
  await files.copy(file.key, key);
  return { ...file, key };
}

export async function receiveStored(
  { files }: Pick<FilePorts, "files">,
  file: FileReference,
  maxBytes: number,
): Promise<ReceivedFile> {
  // safe because both types describe the same stream: Bun's type in node:stream only has more methods
  const bytes = (await files.read(file, 0, file.sizeBytes ?? maxBytes)) as unknown as NodeWebStream;
  return files.receive(Readable.fromWeb(bytes), maxBytes);
}

/** Creates and stores a thumbnail. Returns its key; undefined on any failure, because a file is valid without one. */
export async function storeThumbnail(
  { files, inspector }: FilePorts,
  folder: string,
  file: StoredFile,
  owner: string,
): Promise<string | undefined> {
  try {
    // not aborted with the request, because the file itself is already stored
    const thumbnail = await files.withLocalFile(file, (path) => inspector.thumbnail(path, file.facts, { owner }));
    if (!thumbnail) return undefined;
    const thumbnailKey = newFileKey(folder, "webp");
    await files.store(await files.receive(Readable.from([thumbnail]), thumbnail.byteLength), thumbnailKey);
    return thumbnailKey;
  } catch {
    return undefined;
  }
}

/**
 * Runs the step that writes the record of stored files, and removes the files if it fails. After `unavailable` they
 * stay, because the record may still be committed; without a record, the orphan sweep removes them. Throws not_found if
 * the step returns undefined: the owner was removed in the meantime.
 */
export async function removeOnFailure<Result>(
  files: FileStore,
  keys: readonly string[],
  step: () => Promise<Result | undefined>,
): Promise<Result> {
  try {
    return requireFound(await step());
  } catch (error) {
    if (!isUnavailable(error)) await files.remove(keys);
    throw error;
  }
}

export async function sha256OfFile(
  { read }: Pick<FileStore, "read">,
  { key, sizeBytes }: Pick<StoredFile, "key" | "sizeBytes">,
): Promise<string> {
  const hash = new Bun.CryptoHasher("sha256");
  for await (const chunk of await read({ key, sizeBytes }, 0, sizeBytes)) hash.update(chunk);
  return hash.digest("hex");
}

const maxLength = 200;

/** Line breaks, control characters, and bidirectional controls, which can hide an extension. */
const invisible = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/** Sanitises an uploader's file name for display: one line without folders; "" if nothing is left. */
export function displayFilename(given: string): string {
  const base = given.slice(Math.max(given.lastIndexOf("/"), given.lastIndexOf("\\")) + 1);
  const line = base.toWellFormed().replace(/\s+/g, " ").replace(invisible, "").trim();
  return /^\.*$/.test(line) ? "" : shorten(line);
}

/** Keeps the extension and never splits a surrogate pair. */
function shorten(name: string): string {
  if (name.length <= maxLength) return name;
  const extension = /\.[^.\s]{1,11}$/.exec(name)?.[0] ?? "";
  const stem = name.slice(0, maxLength - extension.length).replace(/[\ud800-\udbff]$/, "");
  return stem.trim() + extension;
}

import { Readable } from "node:stream";
import type { ReadableStream as NodeWebStream } from "node:stream/web";
import { isUnavailable } from "../../errors.ts";
import type { TaskOptions } from "../../platform/task-options.ts";
import type { MediaFacts, Source } from "../../engine/timeline/source.ts";
import { newId } from "../shared/ids.ts";
import { requireFound } from "../shared/versioned.ts";
import { displayFilename } from "./filenames.ts";
import { inspectFile } from "./inspect-file.ts";

export type ReceivedFile = { readonly path: string; readonly sizeBytes: number; readonly sha256: string };

export type StoredFile = {
  readonly key: string;
  readonly sizeBytes: number;
  readonly sha256: string;
  /** The uploader's name for the file: for display and download, never for a path. */
  readonly filename: string;
  readonly facts: MediaFacts;
};

/** A file on this machine's disk whose facts are known. */
export type InspectedFile = { readonly path: string; readonly sizeBytes: number; readonly facts: MediaFacts };

/** A file to store; a known hash saves reading it. */
export type FileToStore = Pick<ReceivedFile, "path"> & Partial<Pick<ReceivedFile, "sha256">>;

/** A file in the store and what is known of its bytes. A key is never used for other bytes. */
export type FileReference = Pick<StoredFile, "key"> & Partial<Pick<StoredFile, "sizeBytes" | "sha256">>;

export const sourceOf = ({ key, sha256, sizeBytes, facts }: StoredFile): Source => ({
  file: key,
  hash: sha256,
  sizeBytes,
  facts,
});

/** Without the size of a font: one that was cut does not load, and says so itself. */
export const referenceTo = ({ file, hash, sizeBytes, facts }: Source): FileReference => ({
  ...{ key: file, sha256: hash },
  ...(sizeBytes !== undefined && facts.kind !== "font" && { sizeBytes }),
});

/** Reads of a missing file reject with the code ENOENT, and with `unavailable` while the store is away. */
export type FileStore = {
  /** Streams bytes to a private file. Throws payload_too_large beyond `maxBytes`; a failure leaves no file behind. */
  receive(bytes: Readable, maxBytes: number): Promise<ReceivedFile>;
  /** Moves a received file, or one of a job, into the store. It survives a crash when this resolves. */
  store(file: FileToStore, key: string): Promise<void>;
  /** Stores such a file and leaves it where it is. It must not change afterwards. */
  storeCopy(file: FileToStore, key: string): Promise<void>;
  /** Stores a stored file under another key as well, without its bytes passing through this process. */
  copy(key: string, newKey: string): Promise<void>;
  /** Removes a received file that was not stored. Never throws. */
  discard(file: ReceivedFile): Promise<void>;
  /** The bytes from `start` up to but not including `end`. */
  read(file: FileReference, start: number, end: number): Promise<ReadableStream<Uint8Array>>;
  /**
   * A URL from which everyone can read the file for some hours, with these headers. Absent if the store gives none.
   */
  readonly publicUrl?: (
    key: string,
    headers: { readonly contentType: string; readonly contentDisposition: string },
  ) => Promise<string>;
  /** Calls `use` with the path of the file on this machine, which can be opened until `use` settles. */
  withLocalFile<Result>(file: FileReference, use: (path: string) => Promise<Result>): Promise<Result>;
  /** Places the file, which must not be changed, at a new path in a job folder, where it stays when it is removed. */
  linkTo(file: FileReference, path: string): Promise<void>;
  /** Removes files; missing files are ignored. */
  remove(keys: readonly string[]): Promise<void>;
  /** Removes all files of a project or a user, those without a row too. */
  removeFolder(folder: string): Promise<void>;
  /** Creates a private folder for one job, on the disk of the store. */
  jobFolder(): Promise<string>;
};

/** Identifies files by their bytes, never by name or declared type. */
export type Inspector = {
  /** Throws unsupported_media_type, with the reason, for a file that the service does not accept. */
  inspect(path: string, options: TaskOptions): Promise<MediaFacts>;
  /** A small WebP image of an image or a video; undefined for other files. */
  thumbnail(path: string, facts: MediaFacts, options: TaskOptions): Promise<Uint8Array | undefined>;
};

/** Converts images for models that take only some formats. */
export type ImageConverter = {
  /** The file's own bytes if it has one of these types and at most `maxBytes`, else a JPEG or PNG that has. */
  convertImage(
    path: string,
    facts: MediaFacts,
    mimeTypes: readonly string[],
    options: TaskOptions & { readonly maxBytes?: number },
  ): Promise<{ readonly bytes: Uint8Array; readonly mimeType: string }>;
};

type FilePorts = { readonly files: FileStore; readonly inspector: Inspector };

/** What is known of a file besides its bytes: the model that has made it, and the manifest of the file that it shows. */
export type KnownOrigin = Pick<MediaFacts, "generatedBy" | "manifest">;

export type NamedFile = KnownOrigin & { readonly received: ReceivedFile; readonly filename: string };

const newFileKey = (folder: string, extension: string) => `${folder}/${newId("media")}.${extension}`;

/** Under a new key. Throws unsupported_media_type, also for another kind than `requiredKind`. */
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
    // not aborted with the request: the file itself is stored already
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
 * Runs the step that writes the database row of stored files, and removes the files if it fails. After `unavailable`
 * they stay, because the row may still be committed; without a row, the orphan sweep removes them.
 * Throws not_found if the step returns undefined: the owner was removed in the meantime.
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

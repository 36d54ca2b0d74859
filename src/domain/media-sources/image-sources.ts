import { Readable } from "node:stream";
import type {
  FileStore,
  ImageConverter,
  InspectedFile,
  Inspector,
  ReceivedFile,
  StoredFile,
} from "../../engine/ports.ts";
import type { MediaFacts } from "../../engine/timeline/source.ts";
import { DomainError, isDomainError } from "../../errors.ts";
import { isLost } from "../../platform/files.ts";
import type { TaskOptions } from "../../platform/limits/concurrency-limit.ts";
import type { Caller } from "../accounts/caller.ts";
import { decodeDataUrl, isDataUrl } from "../files/data-urls.ts";
import type { Fetcher } from "../files/fetcher.ts";
import { receiveStored } from "../files/file-store.ts";
import { type FindInternalUrlPorts, findInternalUrl } from "./internal-files.ts";

/** Limit for images from data URLs and external URLs. */
const maxBytes = 25 * 1024 * 1024;

/** Image types that every model accepts. */
const acceptedTypes = ["image/png", "image/jpeg", "image/webp"];

/** The request field that contains the URL, as errors report it. */
const path = "image_url";

type FoundImage = {
  /** A temporary copy in PNG, JPEG or WebP, which does not change with the original. */
  readonly image: InspectedFile;
  /** Removes the copy. */
  dispose(): Promise<void>;
};

type CopyImagePorts = {
  readonly files: FileStore;
  readonly inspector: Inspector;
  readonly videoAnalyzer: ImageConverter;
};

type FindImagePorts = CopyImagePorts & FindInternalUrlPorts & { readonly fetcher: Fetcher };

/** Copies the image of a data URL, an internal URL (with the caller's permissions) or an external URL. */
export async function findImage(
  ports: FindImagePorts,
  caller: Caller,
  imageUrl: string,
  signal: AbortSignal,
): Promise<FoundImage> {
  const options = { owner: caller.user.id, signal };
  const url = imageUrl.trim();
  if (isDataUrl(url)) {
    return acceptImage(ports, await receiveBytes(ports, decodeDataUrl(url, path), maxBytes), options);
  }
  const internal = await findInternalUrl(ports, caller, url);
  if (!internal) return acceptImage(ports, await ports.fetcher.download(url, { path, maxBytes, ...options }), options);
  if (!internal.file) throw imageMissing();
  return copyStoredImage(ports, internal.file, options);
}

export async function copyStoredImage(
  ports: CopyImagePorts,
  { facts, ...file }: StoredFile,
  options: TaskOptions,
  missing = imageMissing,
): Promise<FoundImage> {
  requireImage(facts);
  const received = await receiveStored(ports, file, file.sizeBytes).catch((error) => {
    throw isLost(error) ? missing() : error;
  });
  return discardOnFailure(ports, received, () => toAcceptedType(ports, received, facts, options));
}

const receiveBytes = ({ files }: CopyImagePorts, bytes: Uint8Array, limitBytes: number): Promise<ReceivedFile> =>
  files.receive(Readable.from([bytes]), limitBytes);

const acceptImage = (ports: CopyImagePorts, received: ReceivedFile, options: TaskOptions): Promise<FoundImage> =>
  discardOnFailure(ports, received, async () => {
    const facts = await ports.inspector.inspect(received.path, options).catch((error) => {
      throw isDomainError(error) && error.code === "unsupported_media_type" ? notAnImage() : error;
    });
    requireImage(facts);
    return toAcceptedType(ports, received, facts, options);
  });

/** Returns the image unchanged if every model accepts its type; otherwise converts it and discards the original. */
async function toAcceptedType(
  ports: CopyImagePorts,
  received: ReceivedFile,
  facts: MediaFacts,
  options: TaskOptions,
): Promise<FoundImage> {
  const image = await ports.videoAnalyzer.convertImage(received.path, facts, acceptedTypes, options).catch((cause) => {
    throw isDomainError(cause) ? cause : new DomainError("source_unreadable", { path, what }, { cause });
  });
  const isUnchanged = image.mimeType === facts.mimeType && image.bytes.length === received.sizeBytes;
  if (isUnchanged) return foundImage(ports, received, facts);

  const converted = await receiveBytes(ports, image.bytes, image.bytes.length);
  await ports.files.discard(received);
  return discardOnFailure(ports, converted, async () =>
    foundImage(ports, converted, await ports.inspector.inspect(converted.path, options)),
  );
}

const foundImage = ({ files }: CopyImagePorts, received: ReceivedFile, facts: MediaFacts): FoundImage => ({
  image: { path: received.path, sizeBytes: received.sizeBytes, facts },
  dispose: () => files.discard(received),
});

async function discardOnFailure<Result>(
  { files }: CopyImagePorts,
  received: ReceivedFile,
  step: () => Promise<Result>,
): Promise<Result> {
  try {
    return await step();
  } catch (error) {
    await files.discard(received);
    throw error;
  }
}

function requireImage({ kind }: MediaFacts): void {
  if (kind !== "image") throw notAnImage();
}

const what = "The file that image_url names";
const notAnImage = () => new DomainError("asset_wrong_type", { path, what, expected: "an image" });
const imageMissing = () => new DomainError("asset_missing", { path, what: "The image that image_url names" });

import { Readable } from "node:stream";
import type { ReadableStream as NodeWebStream } from "node:stream/web";
import { DomainError, isDomainError } from "../../errors.ts";
import type { MediaFacts } from "../../timeline/source.ts";
import type { SeenFile } from "../ai/models.ts";
import type { Caller } from "../auth/caller.ts";
import type { Services } from "../services.ts";
import { bytesOfDataUrl, isDataUrl } from "./data-urls.ts";
import type { ReceivedFile, StoredFile } from "./file-store.ts";
import { findInternalFile } from "./internal-files.ts";
import { internalFileOf } from "./internal-urls.ts";

/** What comes from outside may be as large as this. */
const maxBytes = 25 * 1024 * 1024;

/** What every model takes as it is. */
const takenTypes = ["image/png", "image/jpeg", "image/webp"];

/** The request field that names the picture. */
const path = "image_url";

export type FoundPicture = {
  /** A copy of its own, PNG, JPEG or WebP: whatever becomes of the original meanwhile. */
  readonly image: SeenFile;
  dispose(): Promise<void>;
};

type PicturePorts = Pick<
  Services,
  | ("projects" | "works" | "assets" | "workMedia" | "generatedMedia" | "signedLinks")
  | ("files" | "fetcher" | "inspector" | "videoAnalyzer" | "settings")
>;

/** Finds the picture behind a data URL, a URL of this service (with the caller's rights), or one outside. */
export async function findPicture(
  services: PicturePorts,
  caller: Caller,
  imageUrl: string,
  signal: AbortSignal,
): Promise<FoundPicture> {
  const url = imageUrl.trim();
  if (isDataUrl(url))
    return receivedPicture(services, await receiveBytes(services, bytesOfDataUrl(url, path), maxBytes));

  const internal = internalFileOf(url, services.settings.publicUrl);
  if (!internal) return receivedPicture(services, await services.fetcher.download(url, { path, maxBytes, signal }));

  const file = await findInternalFile(services, caller, internal);
  if (!file) throw pictureMissing();
  return storedPicture(services, file);
}

/** A picture of the store, as a copy. */
export async function storedPicture(services: PicturePorts, { facts, ...file }: StoredFile): Promise<FoundPicture> {
  requireImage(facts);
  const received = await copyOf(services, file).catch((error) => {
    throw error.code === "ENOENT" ? pictureMissing() : error;
  });
  return orDiscard(services, received, () => inTakenType(services, received, facts));
}

const copyOf = ({ files }: PicturePorts, { key, sizeBytes }: Omit<StoredFile, "facts">): Promise<ReceivedFile> =>
  // safe because it is the same stream: the type that Bun gives it in node:stream only knows more methods
  files.receive(Readable.fromWeb(files.read(key, 0, sizeBytes) as unknown as NodeWebStream), sizeBytes);

const receiveBytes = ({ files }: PicturePorts, bytes: Uint8Array, most: number): Promise<ReceivedFile> =>
  files.receive(Readable.from([bytes]), most);

const receivedPicture = (services: PicturePorts, received: ReceivedFile): Promise<FoundPicture> =>
  orDiscard(services, received, async () => {
    const facts = await services.inspector.inspect(received.path).catch((error) => {
      throw isDomainError(error) && error.code === "unsupported_media_type" ? notAnImage() : error;
    });
    requireImage(facts);
    return inTakenType(services, received, facts);
  });

/** The picture as it is where every model takes it so, else converted; then the original goes. */
async function inTakenType(services: PicturePorts, received: ReceivedFile, facts: MediaFacts): Promise<FoundPicture> {
  const still = await services.videoAnalyzer.image(received.path, facts, takenTypes).catch((cause) => {
    throw isDomainError(cause) ? cause : new DomainError("source_unreadable", { path, what }, { cause });
  });
  const isAsItWas = still.mimeType === facts.mimeType && still.bytes.length === received.sizeBytes;
  if (isAsItWas) return picture(services, received, facts);

  const converted = await receiveBytes(services, still.bytes, still.bytes.length);
  await services.files.discard(received);
  return orDiscard(services, converted, async () =>
    picture(services, converted, await services.inspector.inspect(converted.path)),
  );
}

const picture = ({ files }: PicturePorts, received: ReceivedFile, facts: MediaFacts): FoundPicture => ({
  image: { path: received.path, sizeBytes: received.sizeBytes, facts },
  dispose: () => files.discard(received),
});

async function orDiscard<Result>(
  { files }: PicturePorts,
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
const pictureMissing = () => new DomainError("asset_missing", { path, what: "The picture that image_url names" });

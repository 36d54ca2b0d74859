import type { FileStore, Inspector, ReceivedFile, StoredFile } from "../../engine/ports.ts";
import type { MediaFacts } from "../../engine/timeline/source.ts";
import type { Caller } from "../accounts/caller.ts";
import { isId, newId } from "../shared/ids.ts";
import { requireFound } from "../shared/versioned.ts";
import type { ExpiringFiles } from "./expired.ts";
import { removeOnFailure, storeFile } from "./file-store.ts";
import type { InternalUrls, SignedLinks, SignedQuery } from "./internal-urls.ts";

/** A generated image or video without a work. */
type GeneratedMedia = {
  readonly id: string;
  readonly userId: string;
  readonly file: StoredFile;
  readonly createdAt: number;
  readonly expiresAt: number;
};

export type GeneratedMediaStore = ExpiringFiles & {
  add(media: GeneratedMedia): Promise<void>;
  find(mediaId: string): Promise<GeneratedMedia | undefined>;
};

const lifetimeMs = 24 * 60 * 60 * 1000;

export type FindGeneratedMediaPorts = {
  readonly generatedMedia: GeneratedMediaStore;
  readonly signedLinks: SignedLinks;
};

export type AddGeneratedMediaPorts = FindGeneratedMediaPorts & {
  readonly files: FileStore;
  readonly inspector: Inspector;
  readonly internalUrls: InternalUrls;
};

/** Stores a generated file for a day. Returns its signed URL, which expires with it. */
export async function addGeneratedMedia(
  { generatedMedia, internalUrls, signedLinks, ...ports }: AddGeneratedMediaPorts,
  { id: userId }: Caller["user"],
  received: ReceivedFile,
  kind: MediaFacts["kind"],
  generatedBy?: MediaFacts["generatedBy"],
): Promise<string> {
  const named = { received, filename: "", ...(generatedBy && { generatedBy }) };
  const file = await storeFile(ports, userId, named, { owner: userId, requiredKind: kind });
  const createdAt = Date.now();
  const media: GeneratedMedia = { id: newId("media"), userId, file, createdAt, expiresAt: createdAt + lifetimeMs };
  await removeOnFailure(ports.files, [file.key], async () => {
    await generatedMedia.add(media);
    return media;
  });
  return internalUrls.generatedMedia(media.id, signedLinks.sign(media.id, media.expiresAt));
}

type SignedMediaId = { readonly mediaId: string; readonly signed: SignedQuery };

/** Finds media for their owner, or for any caller with a valid signature. */
export async function findGeneratedMedia(
  { generatedMedia, signedLinks }: FindGeneratedMediaPorts,
  { user }: Caller,
  { mediaId, signed }: SignedMediaId,
): Promise<StoredFile | undefined> {
  const media = isId("media", mediaId) ? await generatedMedia.find(mediaId) : undefined;
  const isAllowed = media?.userId === user.id || signedLinks.verify(mediaId, signed);
  return media && isAllowed && media.expiresAt > Date.now() ? media.file : undefined;
}

/** True for media of this user, and for a URL that this service signed, even if it has expired. */
export async function isGeneratedFor(
  { generatedMedia, signedLinks }: FindGeneratedMediaPorts,
  { user }: Caller,
  { mediaId, signed }: SignedMediaId,
): Promise<boolean> {
  if (signedLinks.verify(mediaId, signed, 0)) return true;
  const media = isId("media", mediaId) ? await generatedMedia.find(mediaId) : undefined;
  return media?.userId === user.id;
}

/** Finds media by a valid signature, without authentication. Throws not_found. */
export async function requireGeneratedMedia(
  { generatedMedia, signedLinks }: FindGeneratedMediaPorts,
  { mediaId, signed }: SignedMediaId,
): Promise<StoredFile> {
  const media = signedLinks.verify(mediaId, signed) ? await generatedMedia.find(mediaId) : undefined;
  return requireFound(media).file;
}

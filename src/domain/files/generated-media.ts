import type { MediaFacts } from "../../timeline/source.ts";
import type { Caller } from "../auth/caller.ts";
import type { Services } from "../services.ts";
import { isId, newId } from "../shared/ids.ts";
import { requireFound } from "../shared/versioned.ts";
import { keepFile, orRemove, type ReceivedFile, type StoredFile } from "./file-store.ts";
import type { SignedLinks } from "./signed-links.ts";

/** Something a model made that belongs to no work. */
export type GeneratedMedia = {
  readonly id: string;
  readonly userId: string;
  readonly file: StoredFile;
  readonly createdAt: number;
  readonly expiresAt: number;
};

export type GeneratedMediaStore = {
  add(media: GeneratedMedia): Promise<void>;
  find(mediaId: string): Promise<GeneratedMedia | undefined>;
  /** Removes the rows that are past their time; answers the keys of their files. */
  removeExpired(now: number): Promise<readonly string[]>;
};

const lifeMs = 24 * 60 * 60 * 1000;

type MediaPorts = Pick<Services, "generatedMedia" | "files" | "inspector" | "signedLinks">;

/** Keeps what a model made for a day; answers the address that it has until then. */
export async function addGenerated(
  { generatedMedia, signedLinks, ...ports }: MediaPorts,
  { id: userId }: Caller["user"],
  received: ReceivedFile,
  kind: MediaFacts["kind"],
): Promise<string> {
  const file = await keepFile(ports, userId, { received, filename: "" }, kind);
  const createdAt = Date.now();
  const media: GeneratedMedia = { id: newId("media"), userId, file, createdAt, expiresAt: createdAt + lifeMs };
  await orRemove(ports.files, [file.key], async () => {
    await generatedMedia.add(media);
    return media;
  });
  return signedLinks.urlOf(media.id, media.expiresAt);
}

type Named = { readonly mediaId: string; readonly signed: Parameters<SignedLinks["isGood"]>[1] };
type FindPorts = Pick<Services, "generatedMedia" | "signedLinks">;

/** For whoever has a good signature, and for whom it was made. */
export async function findGenerated(
  { generatedMedia, signedLinks }: FindPorts,
  { user }: Caller,
  { mediaId, signed }: Named,
): Promise<StoredFile | undefined> {
  const media = isId("media", mediaId) ? await generatedMedia.find(mediaId) : undefined;
  const isTheirs = media?.userId === user.id || signedLinks.isGood(mediaId, signed);
  return media && isTheirs && media.expiresAt > Date.now() ? media.file : undefined;
}

/** For whoever has a good signature, without any login. */
export async function requireGenerated(
  { generatedMedia, signedLinks }: FindPorts,
  { mediaId, signed }: Named,
): Promise<StoredFile> {
  const media = signedLinks.isGood(mediaId, signed) ? await generatedMedia.find(mediaId) : undefined;
  return requireFound(media).file;
}

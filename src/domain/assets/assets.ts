import type { FileStore, Inspector, StoredFile } from "../../engine/ports.ts";
import type { SubjectBox } from "../../engine/timeline/focus.ts";
import type { TaskOptions } from "../../platform/limits/concurrency-limit.ts";
import { withoutUndefined } from "../../platform/values.ts";
import type { Session } from "../accounts/access-tokens.ts";
import type { User } from "../accounts/users.ts";
import { type NamedFile, removeOnFailure, storeFile, storeThumbnail } from "../files/file-store.ts";
import type { StorageLimit } from "../files/storage.ts";
import { newId } from "../shared/ids.ts";
import type { Page, PageRequest } from "../shared/paging.ts";
import type { Settings } from "../shared/settings.ts";
import {
  type Changes,
  type ExpectedRevision,
  editAtRevision,
  requireFound,
  requireRevision,
  type Versioned,
  withChanges,
} from "../shared/versioned.ts";
import type { Speech } from "../speech/speech.ts";

export const assetTypes = ["image", "video", "audio", "font"] as const;
export type AssetType = (typeof assetTypes)[number];

/** The origin of stock media, which their licences require to be named. */
export type AssetSource = {
  readonly provider: string;
  readonly id: string;
  readonly author: string;
  readonly pageUrl: string;
  readonly licence: string;
};

export type Asset = Versioned & {
  readonly id: string;
  readonly projectId: string;
  readonly name: string;
  readonly type: AssetType;
  readonly file: StoredFile;
  readonly tags?: readonly string[];
  readonly description?: string;
  /** From the last analysis, in order of time; empty if it found no subject. */
  readonly subjectBoxes?: readonly SubjectBox[];
  /** Key of the thumbnail in the file store. */
  readonly thumbnailKey?: string;
  /** Its transcript, if it was transcribed. */
  readonly speech?: Speech;
  readonly source?: AssetSource;
  readonly createdAt: number;
  readonly updatedAt: number;
};

/** `count` and `totalSizeBytes` cover the whole filtered list, not only the page. */
type AssetPage = Page<Asset> & { readonly count: number; readonly totalSizeBytes: number };

/** The ids of an asset in a path. */
export type AssetIds = { readonly projectId: string; readonly assetId: string };

export type AssetStore = {
  /** Lists the newest first. */
  list(projectId: string, filter: { type?: AssetType }, page: PageRequest): Promise<AssetPage>;
  find(projectId: string, assetId: string): Promise<Asset | undefined>;
  /** Undefined also if the project belongs to another user. */
  findOfUser(userId: string, ids: AssetIds): Promise<Asset | undefined>;
  /** Combines `users.findLoggedIn` and `findOfUser` for the session's user in one query. */
  findForSession(session: Session, ids: AssetIds): Promise<{ readonly user: User; readonly asset?: Asset } | undefined>;
  /** Finds the existing assets among these ids, in any order. */
  findMany(projectId: string, assetIds: readonly string[]): Promise<readonly Asset[]>;
  /** Finds assets with one of these hashes, or first 12 digits of them, or names, in any order; at most 1,000. */
  findAlike(
    projectId: string,
    like: { readonly hashes: readonly string[]; readonly names: readonly string[] },
  ): Promise<readonly Asset[]>;
  /** Undefined if the project no longer exists. Throws limit_reached if the file does not fit into the limit. */
  add(asset: Asset, limit?: StorageLimit): Promise<Asset | undefined>;
  change(projectId: string, assetId: string, edit: (found: Asset) => Asset): Promise<Asset | undefined>;
  remove(projectId: string, assetId: string, check: (found: Asset) => void): Promise<Asset | undefined>;
};

export type AssetPorts = {
  readonly assets: AssetStore;
  readonly files: FileStore;
  readonly inspector: Inspector;
  readonly settings: Pick<Settings, "maxUserBytes">;
};

type NewAsset = NamedFile & {
  readonly projectId: string;
  readonly name?: string;
  readonly tags?: readonly string[];
  readonly description?: string | null;
  readonly source?: AssetSource;
};

/** Stores a received file as an asset: first the file, flushed to disk, then its record. */
export async function addAsset(
  ports: AssetPorts,
  { projectId, name, tags, description, source, ...namedFile }: NewAsset,
  options: TaskOptions & { readonly requiredKind?: StoredFile["facts"]["kind"] },
): Promise<Asset> {
  const file = await storeFile(ports, projectId, namedFile, options);
  const thumbnailKey = await storeThumbnail(ports, projectId, file, options.owner);
  const now = Date.now();
  const asset: Asset = {
    id: newId("asset"),
    projectId,
    name: name ?? file.filename,
    type: file.facts.kind,
    file,
    ...withoutUndefined({ tags, description: description || undefined, thumbnailKey, source }),
    createdAt: now,
    updatedAt: now,
    revision: 1,
  };
  const limit = { userId: options.owner, maxBytes: ports.settings.maxUserBytes };
  return await removeOnFailure(ports.files, keysOf(asset), () => ports.assets.add(asset, limit));
}

export async function changeAsset(
  assets: AssetStore,
  { projectId, id }: Asset,
  changes: Changes<Pick<Asset, "name" | "tags" | "description">>,
  expected: ExpectedRevision,
): Promise<Asset> {
  const edit = editAtRevision<Asset>(expected, (found) => withChanges(found, changes));
  return requireFound(await assets.change(projectId, id, edit));
}

/** Removes the record first: a file without a record only wastes space, a record without a file breaks its readers. */
export async function removeAsset(
  { assets, files }: Pick<AssetPorts, "assets" | "files">,
  { projectId, id }: Asset,
  expected: ExpectedRevision,
): Promise<void> {
  const removed = await assets.remove(projectId, id, (found) => requireRevision(found, expected));
  await files.remove(keysOf(requireFound(removed)));
}

const keysOf = ({ file, thumbnailKey }: Asset): readonly string[] =>
  thumbnailKey ? [file.key, thumbnailKey] : [file.key];

import { DomainError } from "../../errors.ts";
import { sum } from "../../platform/values.ts";
import type { Settings } from "../shared/settings.ts";

export type StoredFiles = { readonly files: number; readonly bytes: number };

/** What a user stores. Bytes that several rows share count once, for the first of these kinds. */
export type StorageUsage = {
  readonly assets: StoredFiles;
  readonly workMedia: StoredFiles;
  readonly generatedMedia: StoredFiles;
  /** Videos of exports, and those that are kept for repetitions of their requests. */
  readonly exports: StoredFiles;
  /** Projects, works, templates and what else has texts, and is larger than what the service itself writes into it. */
  readonly documents: StoredFiles;
};

const none: StoredFiles = { files: 0, bytes: 0 };

export const nothingStored: StorageUsage = {
  assets: none,
  workMedia: none,
  generatedMedia: none,
  exports: none,
  documents: none,
};

export type StorageUsageStore = { read(userId: string): Promise<StorageUsage> };

/** The bytes that a user may store. Stores that take it count and add in one transaction. */
export type StorageLimit = { readonly userId: string; readonly maxBytes: number };

export type StoragePorts = {
  readonly storageUsage: StorageUsageStore;
  readonly settings: Pick<Settings, "maxUserBytes">;
};

export const usedBytes = (usage: StorageUsage): number => sum(Object.values(usage).map(({ bytes }) => bytes));

/** Throws limit_reached if the bytes do not fit; `addedBytes` of 0 or less always do. */
export function requireRoom(usage: StorageUsage, maxBytes: number, addedBytes: number): void {
  const used = usedBytes(usage);
  if (addedBytes <= 0 || used + addedBytes <= maxBytes) return;
  throw storageFull(used, maxBytes);
}

export const storageFull = (used: number, allowed: number): DomainError<"limit_reached"> =>
  new DomainError("limit_reached", { quota: { limit: "storage_bytes", used, allowed } });

/** The bytes that still fit, if a file of `replacedBytes` goes. Throws limit_reached if there are none. */
export async function storageRoom(
  { storageUsage, settings: { maxUserBytes } }: StoragePorts,
  userId: string,
  replacedBytes = 0,
): Promise<number> {
  const used = usedBytes(await storageUsage.read(userId));
  const room = maxUserBytes - used + replacedBytes;
  if (room <= 0) throw storageFull(used, maxUserBytes);
  return room;
}

/** For requests that begin: two may both find room. What was paid for or rendered is stored all the same. */
export async function requireStorage(
  { storageUsage, settings }: StoragePorts,
  userId: string,
  addedBytes = 1,
): Promise<void> {
  requireRoom(await storageUsage.read(userId), settings.maxUserBytes, addedBytes);
}

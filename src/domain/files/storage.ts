import { DomainError } from "../../errors.ts";
import { sum } from "../../platform/values.ts";
import type { Settings } from "../shared/settings.ts";

export type StoredFiles = { readonly files: number; readonly bytes: number };

/** The stored bytes of a user. Bytes shared by several records count once, for the first of these kinds. */
export type StorageUsage = {
  readonly assets: StoredFiles;
  readonly workMedia: StoredFiles;
  readonly generatedMedia: StoredFiles;
  /** Videos of exports, and those kept for repeated requests. */
  readonly exports: StoredFiles;
  /** Projects, works, templates and other records with texts that exceed the service's own fields. */
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

/** The bytes that a user may store. Stores with a limit count and add in one transaction. */
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

/** The bytes that still fit if a file of `replacedBytes` is replaced. Throws limit_reached if there are none. */
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

/** For starting requests, two of which may both find room. Paid and rendered results are stored in any case. */
export async function requireStorage(
  { storageUsage, settings }: StoragePorts,
  userId: string,
  addedBytes = 1,
): Promise<void> {
  requireRoom(await storageUsage.read(userId), settings.maxUserBytes, addedBytes);
}

import { readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { DomainError } from "../errors.ts";

/** The device is full, or the quota is used up. */
const diskFullCodes: readonly unknown[] = ["ENOSPC", "EDQUOT"];
const diskFullMessages = /No space left on device|Disk quota exceeded/;

/** Rejects with storage_full if the disk is full; other errors stay unchanged. */
export const mapDiskFull = <T>(operation: Promise<T>): Promise<T> =>
  operation.catch((error: NodeJS.ErrnoException) => {
    throw diskFullCodes.includes(error.code) ? diskFullError(error) : error;
  });

/** True if a program's log reports a full disk. */
export const isDiskFullMessage = (log: string): boolean => diskFullMessages.test(log);

export const diskFullError = (cause: unknown): DomainError<"storage_full"> =>
  new DomainError("storage_full", {}, { cause });

/** True if an operation failed because its file, or its object in a store, does not exist. */
export const isMissing = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "ENOENT";

/** Handles a failure: a missing file becomes `value`; other errors are thrown. */
export const ifMissing =
  <Value>(value: Value) =>
  (error: unknown): Value => {
    if (isMissing(error)) return value;
    throw error;
  };

/** The size of a stored file has changed since it was stored. */
export class DamagedFileError extends Error {
  override readonly name = "DamagedFileError";
}

/** True if a file cannot be read as it was stored: only its sender can repair that. */
export const isLost = (error: unknown): boolean => isMissing(error) || error instanceof DamagedFileError;

/** Like `ifMissing`, also for a damaged file. */
export const ifLost =
  <Value>(value: Value) =>
  (error: unknown): Value => {
    if (isLost(error)) return value;
    throw error;
  };

/** Runs `work` in a folder that `make` creates, and removes it afterwards. Throws storage_full if the disk is full. */
export async function withJobFolder<Result>(
  make: () => Promise<string>,
  work: (folder: string) => Promise<Result>,
): Promise<Result> {
  const folder = await make();
  try {
    return await mapDiskFull(work(folder));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** With fewer, requests and uploads fail soon after the start. */
export const minOpenFiles = 256;
/** Enough for many concurrent users. */
export const recommendedOpenFiles = 1024;

/** The number of files and connections that this process may open; unlimited if the system does not say. */
export function maxOpenFiles(): number {
  try {
    const [, limit] = /^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
    return limit === undefined ? Number.POSITIVE_INFINITY : Number(limit);
  } catch (error) {
    return isOutOfFiles(error) ? 0 : Number.POSITIVE_INFINITY;
  }
}

/** Throws a one-line message if the limit is too low for the service. */
export function requireOpenFiles(): void {
  const limit = maxOpenFiles();
  if (limit < minOpenFiles) throw new Error(`${openFilesSentence(limit)} ${raiseOpenFiles}`);
}

export const openFilesSentence = (limit: number) => `This process may open only ${limit} files and connections.`;
export const raiseOpenFiles = `Allow ${recommendedOpenFiles} or more (ulimit -n, or LimitNOFILE of systemd).`;

const outOfFilesCodes: readonly unknown[] = ["EMFILE", "ENFILE"];
const maxCauses = 5;

/** True if an error or one of its causes means that no more files can be opened. */
export function isOutOfFiles(error: unknown): boolean {
  let cause = error;
  for (let depth = 0; depth < maxCauses && cause instanceof Error; depth++) {
    if ("code" in cause && outOfFilesCodes.includes(cause.code)) return true;
    cause = cause.cause;
  }
  return false;
}

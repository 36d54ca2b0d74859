import { DomainError } from "../errors.ts";

/** The device is full, or the quota is used up. */
const codes: readonly unknown[] = ["ENOSPC", "EDQUOT"];
const messages = /No space left on device|Disk quota exceeded/;

/** Rejects with storage_full if the disk is full; other errors stay unchanged. */
export const mapDiskFull = <T>(operation: Promise<T>): Promise<T> =>
  operation.catch((error: NodeJS.ErrnoException) => {
    throw codes.includes(error.code) ? diskFullError(error) : error;
  });

/** True if a program's log reports a full disk. */
export const isDiskFullMessage = (log: string): boolean => messages.test(log);

export const diskFullError = (cause: unknown): DomainError<"storage_full"> =>
  new DomainError("storage_full", {}, { cause });

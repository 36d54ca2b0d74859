import { DomainError } from "../errors.ts";

/** No space on the device, and no space within the quota. */
const codes: readonly unknown[] = ["ENOSPC", "EDQUOT"];
const messages = /No space left on device|Disk quota exceeded/;

/** Rejects with storage_full if the operation fails because the disk is full; other errors stay as they are. */
export const mapDiskFull = <T>(operation: Promise<T>): Promise<T> =>
  operation.catch((error: NodeJS.ErrnoException) => {
    throw codes.includes(error.code) ? diskFullError(error) : error;
  });

/** True if a program's log reports a full disk. */
export const isDiskFullMessage = (log: string): boolean => messages.test(log);

export const diskFullError = (cause: unknown): DomainError<"storage_full"> =>
  new DomainError("storage_full", {}, { cause });

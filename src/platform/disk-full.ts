import { DomainError } from "../errors.ts";

/** No space, and no space within a quota: in the system's codes, and in the words of its programs. */
const codes: readonly unknown[] = ["ENOSPC", "EDQUOT"];
const words = /No space left on device|Disk quota exceeded/;

/** Says of a step that a full disk has stopped that it was that. */
export const mapDiskFull = <T>(step: Promise<T>): Promise<T> =>
  step.catch((error: NodeJS.ErrnoException) => {
    throw codes.includes(error.code) ? diskFullError(error) : error;
  });

export const isDiskFullMessage = (log: string): boolean => words.test(log);

export const diskFullError = (cause: unknown): DomainError<"storage_full"> =>
  new DomainError("storage_full", {}, { cause });

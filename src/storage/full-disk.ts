import { DomainError } from "../errors.ts";

/** No space, no space within a quota. */
const codes: readonly unknown[] = ["ENOSPC", "EDQUOT"];

/** Says of a step that a full disk has stopped that it was that. */
export const orFull = <T>(step: Promise<T>): Promise<T> =>
  step.catch((error: NodeJS.ErrnoException) => {
    throw codes.includes(error.code) ? new DomainError("storage_full", {}, { cause: error }) : error;
  });

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

/** A stored file has another size than when it was stored. */
export class DamagedFileError extends Error {
  override readonly name = "DamagedFileError";
}

/** Whether a file cannot be read as it was stored: nobody but who sent it can help. */
export const isLost = (error: unknown): boolean => isMissing(error) || error instanceof DamagedFileError;

/** Handles a failure as `ifMissing` does, also for a damaged file. */
export const ifLost =
  <Value>(value: Value) =>
  (error: unknown): Value => {
    if (isLost(error)) return value;
    throw error;
  };

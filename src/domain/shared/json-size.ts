/** Bytes of a value as JSON in UTF-8; 0 for undefined. */
export const jsonBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? "");

/** True if a value has at most so many KiB as JSON. */
export const hasAtMostKibibytes = (max: number, value: unknown): boolean => jsonBytes(value) <= max * 1024;

/** "256 KiB", "2 MiB". */
export const sizeInWords = (kibibytes: number): string =>
  kibibytes % 1024 === 0 ? `${kibibytes / 1024} MiB` : `${kibibytes} KiB`;

/** True if a value has at most so many KiB as JSON in UTF-8. */
export const hasAtMostKibibytes = (max: number, value: unknown): boolean =>
  Buffer.byteLength(JSON.stringify(value) ?? "") <= max * 1024;

/** "256 KiB", "2 MiB". */
export const sizeInWords = (kibibytes: number): string =>
  kibibytes % 1024 === 0 ? `${kibibytes / 1024} MiB` : `${kibibytes} KiB`;

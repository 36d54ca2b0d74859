/** The JSON of a value, equal for values that differ only in the order of their keys. */
export const canonicalJson = (value: unknown): string => JSON.stringify(value, (_, child) => sortKeys(child));

function sortKeys(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** Bytes of a value as JSON in UTF-8; 0 for undefined. */
export const jsonBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? "");

/** True if the JSON of a value has at most `max` KiB. */
export const hasAtMostKibibytes = (max: number, value: unknown): boolean => jsonBytes(value) <= max * 1024;

/** "256 KiB", "2 MiB". */
export const sizeInWords = (kibibytes: number): string =>
  kibibytes % 1024 === 0 ? `${kibibytes / 1024} MiB` : `${kibibytes} KiB`;

/** The JSON of a value, equal for values that differ only in the order of their keys. */
export const canonicalJson = (value: unknown): string => JSON.stringify(value, (_, child) => sortKeys(child));

function sortKeys(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}

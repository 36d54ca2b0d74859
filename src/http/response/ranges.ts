import { DomainError } from "../../errors.ts";

/** Bytes from `start` up to, but not including, `end`. */
type ByteRange = { readonly start: number; readonly end: number };

/** Parses a Range header with one byte range. Undefined (the whole file) for other units, lists and syntax errors. */
export function requestedRange(header: string | undefined, sizeBytes: number): ByteRange | undefined {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/i.exec(header?.trim() ?? "") ?? [];
  if (first === undefined || last === undefined || first + last === "") return undefined;
  if (first !== "" && last !== "" && Number(last) < Number(first)) return undefined;

  const start = first === "" ? Math.max(0, sizeBytes - Number(last)) : Number(first);
  const end = first === "" || last === "" ? sizeBytes : Math.min(Number(last) + 1, sizeBytes);
  if (start >= end) throw new DomainError("range_not_satisfiable", { sizeBytes });
  return { start, end };
}

/** True if If-Range is absent or equals this strong tag. A date never matches: responses have no Last-Modified. */
export const ifRangeMatches = (header: string | undefined, etag: string): boolean =>
  header === undefined || header.trim() === etag;

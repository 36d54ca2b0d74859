import { DomainError } from "../../errors.ts";

/** A part of a file, from `start` up to, not including, `end`. */
export type ByteRange = { readonly start: number; readonly end: number };

/** The one range of a Range header; undefined when all is to be sent: for other units, lists and nonsense. */
export function requestedRange(header: string | undefined, sizeBytes: number): ByteRange | undefined {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/i.exec(header?.trim() ?? "") ?? [];
  if (first === undefined || last === undefined || first + last === "") return undefined;
  if (first !== "" && last !== "" && Number(last) < Number(first)) return undefined;

  const start = first === "" ? Math.max(0, sizeBytes - Number(last)) : Number(first);
  const end = first === "" || last === "" ? sizeBytes : Math.min(Number(last) + 1, sizeBytes);
  if (start >= end) throw new DomainError("range_not_satisfiable", { sizeBytes });
  return { start, end };
}

/** Whether a range may be sent: If-Range must name exactly this strong tag. A date never does, as we send none. */
export const rangeStillGood = (header: string | undefined, etag: string): boolean =>
  header === undefined || header.trim() === etag;

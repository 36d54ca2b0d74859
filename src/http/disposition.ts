import { create } from "content-disposition";

/** RFC 6266 with RFC 8187 for other alphabets. Headers refuse line breaks and most of Unicode, a name may hold both. */
export function contentDisposition(type: "inline" | "attachment", filename: string): string {
  const line = filename.toWellFormed().replace(/\p{Cc}+/gu, " ");
  return create(line, { type });
}

import { create } from "content-disposition";

/** RFC 6266, with RFC 8187 for other alphabets: headers refuse line breaks and most of Unicode, and a name may hold both. */
export function contentDisposition(type: "inline" | "attachment", filename: string): string {
  const line = filename.toWellFormed().replace(/\p{Cc}+/gu, " ");
  // the package leaves out quotes where it can, and some clients read quoted names only
  return create(line, { type }).replace(/filename=([^";]+)/, 'filename="$1"');
}

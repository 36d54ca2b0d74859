const maxLength = 200;

/** Line breaks, control characters, and bidirectional controls, which can hide an extension. */
const invisible = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/** Sanitises an uploader's file name for display: one line without folders; "" if nothing is left. */
export function displayFilename(given: string): string {
  const base = given.slice(Math.max(given.lastIndexOf("/"), given.lastIndexOf("\\")) + 1);
  const line = base.toWellFormed().replace(/\s+/g, " ").replace(invisible, "").trim();
  return /^\.*$/.test(line) ? "" : shorten(line);
}

/** Keeps the extension and never splits a surrogate pair. */
function shorten(name: string): string {
  if (name.length <= maxLength) return name;
  const extension = /\.[^.\s]{1,11}$/.exec(name)?.[0] ?? "";
  const stem = name.slice(0, maxLength - extension.length).replace(/[\ud800-\udbff]$/, "");
  return stem.trim() + extension;
}

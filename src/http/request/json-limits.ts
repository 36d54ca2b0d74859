import { invalid } from "../../errors.ts";

const maxDepth = 32;

/** Postgres refuses NUL and changes lone surrogates silently; deep values would exhaust the stack later. */
export function requireSaneValue(value: unknown, path = "", depth = 1): void {
  if (typeof value === "string") requireSaneText(value, path);
  if (typeof value === "number" && !Number.isFinite(value)) throw invalid(path, "Must be a finite number.");
  if (typeof value !== "object" || value === null) return;
  if (depth > maxDepth) throw invalid(path, `Nested deeper than ${maxDepth} levels.`);
  for (const [key, child] of Object.entries(value)) {
    requireSaneText(key, path);
    requireSaneValue(child, path ? `${path}.${key}` : key, depth + 1);
  }
}

/** For text that does not come as JSON, such as the fields of a form. */
export function requireSaneText(text: string, path: string): void {
  if (text.includes("\0") || !text.isWellFormed()) {
    throw invalid(path, "Must not hold NUL characters or lone surrogates.");
  }
}

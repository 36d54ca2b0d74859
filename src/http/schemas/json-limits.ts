import { invalid } from "../../errors.ts";

const maxDepth = 32;

/**
 * Throws validation_error for values that no schema checks: non-finite numbers, text that Postgres rejects or changes,
 * and nesting that would overflow the stack of a recursive function later.
 */
export function assertSafeJson(value: unknown, path = "", depth = 1): void {
  if (typeof value === "string") assertSafeText(value, path);
  if (typeof value === "number" && !Number.isFinite(value)) throw invalid(path, "Must be a finite number.");
  if (typeof value !== "object" || value === null) return;
  if (depth > maxDepth) throw invalid(path, `Nested deeper than ${maxDepth} levels.`);
  for (const [key, child] of Object.entries(value)) {
    assertSafeText(key, path);
    assertSafeJson(child, path ? `${path}.${key}` : key, depth + 1);
  }
}

/** Postgres rejects NUL and silently replaces lone surrogates. */
export function assertSafeText(text: string, path: string): void {
  if (text.includes("\0") || !text.isWellFormed()) {
    throw invalid(path, "Must not hold NUL characters or lone surrogates.");
  }
}

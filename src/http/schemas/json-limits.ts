import { invalid } from "../../errors.ts";
import { assertJsonBounds, type JsonBounds } from "./json-bounds.ts";

type JsonOptions = Partial<JsonBounds> & { readonly path?: string };

/**
 * Parses a caller's JSON. Throws validation_error for what schemas do not check: too many values, too deep nesting,
 * non-finite numbers, and text that Postgres rejects or changes. Throws SyntaxError for invalid JSON. `path` is the
 * path of the whole value.
 */
export function parseSafeJson(text: string, { path = "", ...bounds }: JsonOptions = {}): unknown {
  assertJsonBounds(text, path, bounds);
  const value: unknown = JSON.parse(text);
  assertSafeValues(value, path);
  return value;
}

/** Throws validation_error for non-finite numbers, and for text that Postgres rejects or changes. */
export function assertSafeValues(value: unknown, path = ""): void {
  if (isSafe(value)) return;
  if (typeof value === "string") throw unsafeText(path);
  if (typeof value !== "object" || value === null) throw invalid(path, "Must be a finite number.");
  for (const [key, child] of Object.entries(value)) {
    assertSafeText(key, path);
    assertSafeValues(child, path ? `${path}.${key}` : key);
  }
}

/** Postgres rejects NUL and silently replaces lone surrogates. */
export function assertSafeText(text: string, path: string): void {
  if (!isSafeText(text)) throw unsafeText(path);
}

const isSafeText = (text: string) => !text.includes("\0") && text.isWellFormed();

const unsafeText = (path: string) => invalid(path, "Must not hold NUL characters or lone surrogates.");

// without paths, which only a failure needs: most bodies are safe
function isSafe(value: unknown): boolean {
  if (typeof value === "string") return isSafeText(value);
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || value === null) return true;
  if (Array.isArray(value)) return value.every(isSafe);
  return Object.keys(value).every(isSafeText) && Object.values(value).every(isSafe);
}

import type { Context } from "hono";
import { DomainError, invalid } from "../errors.ts";

const maxBytes = 4 * 1024 * 1024;
const maxDepth = 32;

/** Reads a JSON body once, refusing what no schema should have to look at; `c.req.json()` then gives it again. */
export async function admitJson(c: Context): Promise<void> {
  const type = c.req.header("content-type") ?? "";
  if (!/^application\/([a-z0-9.+-]+\+)?json\s*(;|$)/i.test(type)) {
    throw new DomainError("unsupported_media_type", {
      reason: "Send JSON, with the header Content-Type: application/json.",
    });
  }
  const text = await readText(c.req.raw);
  const value = parseJson(text);
  requireSaneValue(value, "", 1);
  // safe because Hono awaits what it finds here
  c.req.bodyCache.text = text;
}

async function readText(request: Request): Promise<string> {
  if (Number(request.headers.get("content-length") ?? 0) > maxBytes)
    throw new DomainError("payload_too_large", { maxBytes });
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength;
    if (size > maxBytes) throw new DomainError("payload_too_large", { maxBytes });
    chunks.push(chunk);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw invalid("", "The body is not UTF-8.");
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid("", "The body is not valid JSON.");
  }
}

/** Postgres refuses NUL, and changes lone surrogates silently; deep values would exhaust the stack later. */
function requireSaneValue(value: unknown, path: string, depth: number): void {
  if (typeof value === "string") requireSaneString(value, path);
  if (typeof value === "number" && !Number.isFinite(value)) throw invalid(path, "Must be a finite number.");
  if (typeof value !== "object" || value === null) return;
  if (depth > maxDepth) throw invalid(path, `Nested deeper than ${maxDepth} levels.`);
  for (const [key, child] of Object.entries(value)) {
    const at = path ? `${path}.${key}` : key;
    requireSaneString(key, path);
    requireSaneValue(child, at, depth + 1);
  }
}

function requireSaneString(value: string, path: string): void {
  if (value.includes("\0") || !value.isWellFormed()) {
    throw invalid(path, "Must not hold NUL characters or lone surrogates.");
  }
}

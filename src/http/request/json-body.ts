import type { Context } from "hono";
import { DomainError, invalid, isDomainError } from "../../errors.ts";
import { requireSaneValue } from "./json-limits.ts";

const maxBytes = 4 * 1024 * 1024;

/** Reads a JSON body once, refusing what no schema should have to look at; `c.req.json()` then gives it again. */
export async function admitJson(c: Context): Promise<void> {
  if (c.req.bodyCache.json !== undefined) return;
  const value = await readJson(c.req.raw);
  requireSaneValue(value);
  // Hono keeps promises here
  c.req.bodyCache.json = Promise.resolve(value);
}

/** Nothing at all, declared as nothing, is an empty object: where every field may be left out, so may the body. */
async function readJson(request: Request): Promise<unknown> {
  const type = request.headers.get("content-type");
  if (type === null && (await readText(request)) === "") return {};
  if (!/^application\/([\w.-]+\+)?json\s*(;|$)/i.test(type ?? "")) {
    throw new DomainError("unsupported_media_type", {
      reason: "Send JSON, with the header Content-Type: application/json.",
    });
  }
  return parseJson(await readText(request));
}

async function readText(request: Request): Promise<string> {
  if (Number(request.headers.get("content-length") ?? 0) > maxBytes) throw tooLarge();
  const bytes = await readBytes(request);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw invalid("", "The body is not UTF-8.");
  }
}

async function readBytes(request: Request): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  try {
    for await (const chunk of request.body ?? []) {
      sizeBytes += chunk.byteLength;
      if (sizeBytes > maxBytes) throw tooLarge();
      chunks.push(chunk);
    }
  } catch (error) {
    if (isDomainError(error)) throw error;
    throw invalid("", "The body did not arrive whole.");
  }
  return Buffer.concat(chunks);
}

const tooLarge = () => new DomainError("payload_too_large", { maxBytes });

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid("", "The body is not valid JSON.");
  }
}

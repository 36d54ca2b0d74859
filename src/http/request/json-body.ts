import type { Context } from "hono";
import { DomainError, invalid, isDomainError } from "../../errors.ts";
import { assertSafeJson } from "../schemas/json-limits.ts";

const maxBytes = 4 * 1024 * 1024;

/** Reads and checks the JSON body once; `c.req.json()` returns it from then on. Throws 400, 413 and 415 errors. */
export async function readJsonBody(c: Context): Promise<void> {
  if (c.req.bodyCache.json !== undefined) return;
  const value = await parseBody(c.req.raw);
  assertSafeJson(value);
  // Hono's body cache holds promises
  c.req.bodyCache.json = Promise.resolve(value);
}

/** An empty body without a Content-Type counts as `{}`, for routes whose fields are all optional. */
async function parseBody(request: Request): Promise<unknown> {
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
    throw invalid("", "The body did not arrive completely.");
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

import type { Context } from "hono";
import { DomainError, invalid, isDomainError } from "../../errors.ts";
import { parseSafeJson } from "../schemas/json-limits.ts";

const maxBytes = 4 * 1024 * 1024;

/**
 * Reads and checks the JSON body once; `c.req.json()` returns it from then on. Throws 400, 413 and 415 errors.
 * An empty body without a Content-Type counts as `{}`, for routes whose fields are all optional.
 */
export const readJsonBody = (c: Context): Promise<void> => readBody(c, c.req.header("content-type") === undefined);

/** Accepts an empty body as `{}` whatever its Content-Type is. */
export const readOptionalJsonBody = (c: Context): Promise<void> => readBody(c, true);

async function readBody(c: Context, mayBeEmpty: boolean): Promise<void> {
  if (c.req.bodyCache.json !== undefined) return;
  // Hono's body cache holds promises
  c.req.bodyCache.json = Promise.resolve(await parseBody(c.req.raw, mayBeEmpty));
}

async function parseBody(request: Request, mayBeEmpty: boolean): Promise<unknown> {
  const isJson = /^application\/([\w.-]+\+)?json\s*(;|$)/i.test(request.headers.get("content-type") ?? "");
  if (!isJson && !mayBeEmpty) throw notJson();
  const text = await readText(request);
  if (mayBeEmpty && text === "") return {};
  if (!isJson) throw notJson();
  return parseJson(text);
}

const notJson = () =>
  new DomainError("unsupported_media_type", {
    reason: "This address takes JSON: send it with Content-Type application/json.",
  });

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
    return parseSafeJson(text);
  } catch (error) {
    if (isDomainError(error)) throw error;
    throw invalid("", "The body is not valid JSON.");
  }
}

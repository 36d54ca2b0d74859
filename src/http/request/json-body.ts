import type { Context } from "hono";
import { DomainError, invalid, isDomainError } from "../../errors.ts";
import type { AppEnv } from "../app-env.ts";
import { parseSafeJson } from "../schemas/json-limits.ts";
import { jsonBounds, noteWholeBody, tooSlow, watchPace } from "./body-limits.ts";

/**
 * Reads and checks the JSON body once; `c.req.json()` returns it from then on. Throws 400, 413 and 415 errors.
 * An empty body without a Content-Type counts as `{}`, for routes whose fields are all optional.
 */
export const readJsonBody = (c: Context<AppEnv>): Promise<void> =>
  readBody(c, c.req.header("content-type") === undefined);

/** Accepts an empty body as `{}` whatever its Content-Type is. */
export const readOptionalJsonBody = (c: Context<AppEnv>): Promise<void> => readBody(c, true);

async function readBody(c: Context<AppEnv>, mayBeEmpty: boolean): Promise<void> {
  if (c.req.bodyCache.json !== undefined) return;
  // Hono's body cache holds promises
  c.req.bodyCache.json = Promise.resolve(await parseBody(c, mayBeEmpty));
}

async function parseBody(c: Context<AppEnv>, mayBeEmpty: boolean): Promise<unknown> {
  const isJson = /^application\/([\w.-]+\+)?json\s*(;|$)/i.test(c.req.header("content-type") ?? "");
  if (!isJson && !mayBeEmpty) throw notJson();
  const text = await readText(c);
  if (mayBeEmpty && text === "") return {};
  if (!isJson) throw notJson();
  return parseJson(text, jsonBounds(c).maxValues);
}

const notJson = () =>
  new DomainError("unsupported_media_type", {
    reason: "This address takes JSON: send it with Content-Type application/json.",
  });

async function readText(c: Context<AppEnv>): Promise<string> {
  const { maxBytes } = jsonBounds(c);
  if (Number(c.req.header("content-length") ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const bytes = await readBytes(c);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw invalid("", "The body is not UTF-8.");
  }
}

async function readBytes(c: Context<AppEnv>): Promise<Uint8Array> {
  const { body } = c.req.raw;
  if (!body) return new Uint8Array();
  const { maxBytes, ...bounds } = jsonBounds(c);
  const failed = Promise.withResolvers<never>();
  const freePlace = c.get("takeBodyPlace")(() => failed.reject(tooSlow()));
  const pace = watchPace(bounds.pace, failed.reject);
  const reader = body.getReader();
  try {
    const bytes = await Promise.race([readAll(reader, maxBytes, pace.count), failed.promise]);
    noteWholeBody(c);
    c.get("bodyReceived")?.(bytes.byteLength);
    return bytes;
  } catch (error) {
    void reader.cancel().catch(() => {});
    if (isDomainError(error)) throw error;
    throw invalid("", "The body did not arrive completely.");
  } finally {
    pace.stop();
    freePlace();
  }
}

type Reader = ReadableStreamDefaultReader<Uint8Array>;

async function readAll(reader: Reader, maxBytes: number, onBytes: (sizeBytes: number) => void): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for (let { value: chunk } = await reader.read(); chunk; { value: chunk } = await reader.read()) {
    onBytes(chunk.byteLength);
    sizeBytes += chunk.byteLength;
    if (sizeBytes > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const tooLarge = (maxBytes: number) => new DomainError("payload_too_large", { maxBytes });

function parseJson(text: string, maxValues: number): unknown {
  try {
    return parseSafeJson(text, { maxValues });
  } catch (error) {
    if (isDomainError(error)) throw error;
    throw invalid("", "The body is not valid JSON.");
  }
}

import type { Context, MiddlewareHandler } from "hono";
import { DomainError, invalid, isDomainError } from "../../errors.ts";
import type { AppEnv } from "../app-env.ts";
import { largerBounds, measureJson, tooManyValues } from "../schemas/json-bounds.ts";
import { parseSafeJson } from "../schemas/json-limits.ts";
import { jsonBounds, noteWholeBody, tooSlow, watchPace } from "./body-limits.ts";

/**
 * Reads, checks and parses the JSON body once, and returns it. Throws 400, 413 and 415 errors.
 * An empty body without a Content-Type counts as `{}`, for routes whose fields are all optional.
 */
export const readJsonBody = (c: Context<AppEnv>, resource?: ChangedResource): Promise<unknown> =>
  readBody(c, c.req.header("content-type") === undefined, resource);

/** The resource that a body changes: `shown` as callers read it, `stored` the part that is stored. */
type ChangedResource = { readonly shown: () => Fields; readonly stored: (fields: Fields) => Fields };
type Fields = { readonly [field: string]: unknown };

/** Reads NaN and Infinity as null: Python prints them, but JSON has no such values. */
export const withoutNonFinite: MiddlewareHandler<AppEnv> = async (c, next) => {
  const read = (text: string) => parseJson(finite(text), jsonBounds(c).maxValues);
  if (!c.get("jsonBody")) c.set("jsonBody", { value: await parseBody(c, false, read) });
  await next();
};

function finite(text: string): string {
  if (!/NaN|Infinity/.test(text)) return text;
  const signs = /["\\]|-?(?:NaN|Infinity)\b/g;
  const parts: string[] = [];
  let isString = false;
  let from = 0;
  for (let found = signs.exec(text); found; found = signs.exec(text)) {
    const [sign] = found;
    if (sign === "\\") signs.lastIndex++;
    else if (sign === '"') isString = !isString;
    else if (!isString) {
      parts.push(text.slice(from, found.index), "null");
      from = signs.lastIndex;
    }
  }
  return [...parts, text.slice(from)].join("");
}

/** Accepts an empty body as `{}` whatever its Content-Type is. */
export const readOptionalJsonBody = (c: Context<AppEnv>): Promise<unknown> => readBody(c, true);

// not `c.req.json()`, which serializes and parses the whole body again at each call
async function readBody(c: Context<AppEnv>, mayBeEmpty: boolean, resource?: ChangedResource): Promise<unknown> {
  const read = (text: string) => parseJson(text, jsonBounds(c).maxValues, resource);
  if (!c.get("jsonBody")) c.set("jsonBody", { value: await parseBody(c, mayBeEmpty, read) });
  return c.get("jsonBody")?.value;
}

async function parseBody(c: Context<AppEnv>, mayBeEmpty: boolean, read: (text: string) => unknown): Promise<unknown> {
  const isJson = /^application\/([\w.-]+\+)?json\s*(;|$)/i.test(c.req.header("content-type") ?? "");
  if (!isJson && !mayBeEmpty) throw notJson();
  const text = await readText(c);
  if (mayBeEmpty && text === "") return {};
  if (!isJson) throw notJson();
  return read(text);
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
  const freeSlot = c.get("acquireBodySlot")(() => failed.reject(tooSlow()));
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
    freeSlot();
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

function parseJson(text: string, maxValues: number, resource?: ChangedResource): unknown {
  try {
    return parseSafeJson(text, { maxValues });
  } catch (error) {
    if (!isDomainError(error)) throw invalid("", "The body is not valid JSON.");
    if (!resource) throw error;
    return parseAsLarge(text, maxValues, resource);
  }
}

/** Accepts a body no larger than the resource, which may be older than a limit. */
function parseAsLarge(text: string, maxValues: number, { shown, stored }: ChangedResource): unknown {
  const resource = shown();
  const valuesOf = (fields: Fields) => measureJson(JSON.stringify(stored(fields))).maxValues;
  // measured as shown, for a body that was read, and without duplicates, so that it never grows
  const body = parseSafeJson(text, largerBounds(measureJson(JSON.stringify(resource)), { maxValues })) as Fields;
  const allowed = Math.max(maxValues, valuesOf(resource));
  if (valuesOf(body) > allowed) throw tooManyValues("", maxValues);
  return body;
}

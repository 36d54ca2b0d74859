import type { Context } from "hono";
import { canonicalJson } from "../../domain/shared/json.ts";
import { sha256Of } from "../../platform/values.ts";
import type { AppEnv } from "../app-env.ts";
import type { Form } from "./multipart.ts";

/** Headers that change the response. Never an API key: a retry may use another one. */
const significantHeader = /^(x-([a-z]+-)?(provider|model-id)|prefer)$/;

/** Provider names are case-insensitive. */
const providerHeader = /-provider$/;

/** A SHA-256 hash that is equal for requests that differ only in the order of keys or fields, or in the API key. */
export function requestFingerprint(c: Context<AppEnv>): string {
  const { method, path } = c.req;
  const headers = Object.entries(c.req.header()).flatMap(([name, header]) => {
    const value = providerHeader.test(name) ? header.trim().toLowerCase() : header.trim();
    return significantHeader.test(name) && value !== "" ? [[name, value]] : [];
  });
  const request = {
    method,
    path,
    query: c.req.queries(),
    // this name is part of stored fingerprints: another name would reject retries after an upgrade
    chosen: Object.fromEntries(headers),
    body: validatedBody(c),
  };
  return sha256Of(canonicalJson(request));
}

/** The body after validation; undefined for a route without a body validator. */
function validatedBody(c: Context<AppEnv>): unknown {
  // safe because only `upload` stores a form there
  const form = c.req.valid("form" as never) as Form | undefined;
  if (form) return { file: form.file.sha256, fields: Object.fromEntries(form.rawFields) };
  return c.get("jsonBody")?.value;
}

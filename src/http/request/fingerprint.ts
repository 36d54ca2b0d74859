import { createHash } from "node:crypto";
import type { Context } from "hono";
import type { AppEnv } from "../app-env.ts";
import type { Form } from "./multipart.ts";

/** Headers that decide the answer. Never a key: a new one may pay for the same request. */
const choosing = /^(x-([a-z]+-)?(provider|model-id)|prefer)$/;

/** Their names are the same in any case. */
const providing = /-provider$/;

/** Of two requests that ask for the same, the same: whatever the order of keys and fields, and whoever's key pays. */
export async function fingerprintOf(c: Context<AppEnv>): Promise<string> {
  const { method, path } = c.req;
  const chosen = Object.entries(c.req.header()).flatMap(([name, value]) => {
    const said = providing.test(name) ? value.trim().toLowerCase() : value.trim();
    return choosing.test(name) && said !== "" ? [[name, said]] : [];
  });
  const asked = { method, path, query: c.req.queries(), chosen: Object.fromEntries(chosen), body: await bodyOf(c) };
  return createHash("sha256").update(canonicalJson(asked)).digest("hex");
}

/** What the route's validators let through; a route that has none looks at no body. */
async function bodyOf(c: Context<AppEnv>): Promise<unknown> {
  // safe because only `upload` leaves a form there
  const form = c.req.valid("form" as never) as Form | undefined;
  if (form) return { file: form.file.sha256, fields: Object.fromEntries(form.fields) };
  return c.req.bodyCache.json && (await c.req.json());
}

const canonicalJson = (value: unknown): string => JSON.stringify(value, (_, child) => inOrder(child));

function inOrder(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}

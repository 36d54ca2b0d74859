import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import type { ExpectedRevision } from "../../domain/shared/versioned.ts";
import type { AppEnv } from "../app-env.ts";

const tagOf = (revision: number) => `"r${revision}"`;

const tagsIn = (header: string): readonly string[] => header.split(",").map((tag) => tag.trim());

/** The revisions named in If-Match, for PUT and DELETE. Weak tags never match, as RFC 9110 asks. */
export function expectedRevision(c: Context<AppEnv>): ExpectedRevision {
  const header = c.req.header("if-match");
  if (header === undefined) return undefined;
  const tags = tagsIn(header);
  if (tags.includes("*")) return "any";
  return tags.flatMap((tag) => /^"r(\d{1,15})"$/.exec(tag)?.slice(1).map(Number) ?? []);
}

/** Whether If-None-Match names this tag; compared weakly, as it is for caches. */
export const isKnown = (header: string | undefined, etag: string): boolean =>
  header !== undefined && tagsIn(header).some((tag) => tag === "*" || tag.replace(/^W\//, "") === etag);

/** Gives the answer of a handler that set `revision` its ETag, and turns a GET of a known one into 304. */
export const revisionTag = createMiddleware<AppEnv>(async (c, next) => {
  await next();
  const { revision } = c.var;
  if (revision === undefined || !c.res.ok) return;

  const tag = tagOf(revision);
  c.header("ETag", tag);
  if (c.req.method !== "GET" && c.req.method !== "HEAD") return;
  if (!isKnown(c.req.header("if-none-match"), tag)) return;
  c.res = new Response(null, { status: 304, headers: { ETag: tag } });
});

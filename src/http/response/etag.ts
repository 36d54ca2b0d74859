import type { Context } from "hono";
import { type ExpectedRevision, type Versioned, withoutRevision } from "../../domain/shared/versioned.ts";
import type { AppEnv } from "../app-env.ts";

const etagOf = (revision: number) => `"r${revision}"`;

const parseTags = (header: string): readonly string[] => header.split(",").map((tag) => tag.trim());

/** The revisions in If-Match, for PUT and DELETE. Weak tags never match (RFC 9110, 13.1.1). */
export function expectedRevision(c: Context<AppEnv>): ExpectedRevision {
  const header = c.req.header("if-match");
  if (header === undefined) return undefined;
  const tags = parseTags(header);
  if (tags.includes("*")) return "any";
  return tags.flatMap((tag) => /^"r(\d{1,15})"$/.exec(tag)?.slice(1).map(Number) ?? []);
}

/** True if If-None-Match holds this tag, by weak comparison (RFC 9110, 13.1.2). */
export const matchesEtag = (header: string | undefined, etag: string): boolean =>
  header !== undefined && parseTags(header).some((tag) => tag === "*" || tag.replace(/^W\//, "") === etag);

/** Sets the response's ETag to the resource's revision. Returns the resource without its revision. */
export function withEtag<Resource extends Versioned>(
  c: Context<AppEnv>,
  resource: Resource,
): Omit<Resource, "revision"> {
  c.set("revision", resource.revision);
  return withoutRevision(resource);
}

/** Writes the ETag that a handler set by `withEtag`; responds 304 to GET and HEAD if If-None-Match holds it. */
export function applyEtag(c: Context<AppEnv>): void {
  const revision = c.get("revision");
  if (revision === undefined || !c.res.ok) return;

  const etag = etagOf(revision);
  // not c.header, which copies the response, and its body into a stream
  c.res.headers.set("ETag", etag);
  if (c.req.method !== "GET" && c.req.method !== "HEAD") return;
  if (!matchesEtag(c.req.header("if-none-match"), etag)) return;
  c.res = new Response(null, { status: 304, headers: { ETag: etag } });
}

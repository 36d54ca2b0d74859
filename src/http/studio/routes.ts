import { Hono } from "hono";
import { DomainError } from "../../errors.ts";
import { once } from "../../platform/async.ts";
import type { AppEnv } from "../app-env.ts";
import { staticFile } from "../response/static-file.ts";

type File = { readonly name: string; readonly mimeType: string; readonly bytes: Uint8Array<ArrayBuffer> };

/** The page and its files, whose names change with their content. */
type Studio = { readonly html: string; readonly files: readonly File[] };

/** Allows this service, and the origin of stored files. */
const contentSecurityPolicy = (filesUrl: string | undefined) => {
  const stored = filesUrl ? ` ${new URL(filesUrl).origin}` : "";
  return [
    "default-src 'none'",
    ...["script-src", "style-src", "font-src", "connect-src"].map((kind) => `${kind} 'self'`),
    // chosen pictures are shown before they are uploaded
    ...["img-src", "media-src"].map((kind) => `${kind} 'self' blob:${stored}`),
    ...["frame-ancestors", "base-uri", "form-action"].map((kind) => `${kind} 'none'`),
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; ");
};

const yearInSeconds = 31_536_000;

/** The page for people, at every URL below /studio; `filesUrl` is the origin of stored files, if not this service. */
export function studioRoutes(readStudio: () => Promise<Studio>, filesUrl?: string) {
  const load = once(async () => {
    const { html, files } = await readStudio();
    const headers = { "Cache-Control": `public, max-age=${yearInSeconds}, immutable` };
    return {
      page: staticFile({
        source: { name: "index.html", bytes: new TextEncoder().encode(html) },
        mimeType: "text/html; charset=utf-8",
        headers: {
          "Content-Security-Policy": contentSecurityPolicy(filesUrl),
          // the URL of a reviewer's page is its credential
          "X-Robots-Tag": "noindex, nofollow",
        },
      }),
      files: new Map(
        files.map(({ name, bytes, mimeType }) => [name, staticFile({ source: { name, bytes }, mimeType, headers })]),
      ),
    };
  });
  return new Hono<AppEnv>()
    .get("/files/:name", async (c, next) => {
      const file = (await load()).files.get(c.req.param("name"));
      if (!file) throw new DomainError("not_found", {});
      return file(c, next);
    })
    .get("/*", async (c, next) => (await load()).page(c, next));
}

import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Glob } from "bun";
import { Hono } from "hono";
import { z } from "zod";
import { DomainError } from "../../errors.ts";
import { once } from "../../platform/async.ts";
import { json } from "../answers.ts";
import type { AppEnv } from "../app-env.ts";
import { buildDocument, published } from "../document/build.ts";
import { errorPage } from "../document/error-page.ts";
import { toLlmsText } from "../document/llms.ts";
import { toMarkdown } from "../document/markdown.ts";
import { anyone } from "../middleware/require-scopes.ts";
import { operationsOf } from "../openapi.ts";
import { staticFile } from "../response/static-file.ts";

const documented = operationsOf("Service");

const swaggerDirectory = new URL(".", import.meta.resolve("swagger-ui-dist/package.json"));

/** The page loads nothing from other hosts. Swagger UI needs inline styles and `data:` images; answers are `blob:`. */
const contentSecurityPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; " +
  "media-src 'self' blob:; font-src 'self'; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

const pageFile = (name: string) => new URL(`./${name}`, import.meta.url);
const swaggerFile = (name: string) => new URL(name, swaggerDirectory);

const css = "text/css; charset=utf-8";
const script = "text/javascript; charset=utf-8";

/** Swagger UI for the API, served entirely by this service. */
export const docsRoutes = () =>
  new Hono<AppEnv>()
    .get(
      "/",
      staticFile({
        url: pageFile("index.html"),
        mimeType: "text/html; charset=utf-8",
        headers: { "Content-Security-Policy": contentSecurityPolicy },
      }),
    )
    .get("/start.js", staticFile({ url: pageFile("start.js"), mimeType: script }))
    .get("/style.css", staticFile({ url: pageFile("style.css"), mimeType: css }))
    .get("/swagger-ui.css", staticFile({ url: swaggerFile("swagger-ui.css"), mimeType: css }))
    .get("/swagger-ui-bundle.js", staticFile({ url: swaggerFile("swagger-ui-bundle.js"), mimeType: script }));

const markdown = "text/markdown; charset=utf-8";
const pageTypes: Readonly<Record<string, string>> = {
  md: markdown,
  jpg: "image/jpeg",
  png: "image/png",
  webp: "image/webp",
};

/** The pages and pictures of the repository's folder docs by their paths, so that links between them work. */
const pages = once(() => {
  const folder = new URL("../../../docs/", import.meta.url);
  const names = existsSync(folder) ? [...new Glob("**/*.{md,jpg,png,webp}").scanSync(fileURLToPath(folder))] : [];
  return new Map(
    names.map((name) => {
      const mimeType = pageTypes[name.slice(name.lastIndexOf(".") + 1)] ?? markdown;
      return [`/docs/${name}`, staticFile({ url: new URL(name, folder), mimeType })];
    }),
  );
});

/** Reads the document as published, built from the app's route table at the first call. */
export const documentReader = (app: Hono<AppEnv>) => once(async () => published(await buildDocument(app)));

export function documentRoutes(readDocument: ReturnType<typeof documentReader>) {
  const readJson = once(async () => JSON.stringify(await readDocument()));
  const readMarkdown = once(async () => toMarkdown(await readDocument()));
  const readLlmsText = once(async () => toLlmsText(await readDocument()));
  return new Hono<AppEnv>()
    .get(
      "/api/openapi.json",
      documented(anyone, {
        id: "getDocument",
        summary: "Read this document",
        about: "Returns the OpenAPI description of all operations.",
        answers: { 200: json(z.looseObject({}), "An OpenAPI 3.1 document.") },
      }),
      async (c) => c.body(await readJson(), 200, { "Content-Type": "application/json" }),
    )
    .get("/docs/api.md", async (c) => c.body(await readMarkdown(), 200, { "Content-Type": markdown }))
    .get("/docs/errors.md", (c) => c.body(errorPage(), 200, { "Content-Type": markdown }))
    .get("/docs/*", (c, next) => {
      const page = pages().get(c.req.path);
      if (!page) throw new DomainError("not_found", {});
      return page(c, next);
    })
    .get("/llms.txt", async (c) => c.text(await readLlmsText(), 200));
}

import { Hono } from "hono";
import { z } from "zod";
import { json } from "../answers.ts";
import type { AppEnv } from "../app-env.ts";
import { buildDocument, published } from "../document/build.ts";
import { errorPage } from "../document/error-page/page.ts";
import { toLlmsText } from "../document/llms.ts";
import { toMarkdown } from "../document/markdown.ts";
import { anyone } from "../middleware/require-scopes.ts";
import { operationsOf } from "../openapi.ts";

const documented = operationsOf("Service");

const swaggerDirectory = new URL(".", import.meta.resolve("swagger-ui-dist/package.json"));

const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Reelwright API</title>
    <link rel="stylesheet" href="/docs/swagger-ui.css" />
    <link rel="icon" type="image/png" href="/docs/favicon-32x32.png" />
  </head>
  <body>
    <div id="swagger-ui"></div>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`;

const startScript = `SwaggerUIBundle({ url: "/api/openapi.json", dom_id: "#swagger-ui", validatorUrl: null, deepLinking: true, persistAuthorization: true });\n`;

/** The page loads nothing from other hosts. Swagger UI needs inline styles and `data:` images. */
const contentSecurityPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
  "connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

const swaggerFile = (name: string) => Bun.file(new URL(name, swaggerDirectory));

/** Swagger UI for the API, served entirely by this service. */
export const docsRoutes = () =>
  new Hono<AppEnv>()
    .get("/", (c) => c.html(page, 200, { "Content-Security-Policy": contentSecurityPolicy }))
    .get("/start.js", (c) => c.body(startScript, 200, { "Content-Type": "text/javascript; charset=utf-8" }))
    .get("/swagger-ui.css", async (c) =>
      c.body(await swaggerFile("swagger-ui.css").text(), 200, { "Content-Type": "text/css; charset=utf-8" }),
    )
    .get("/swagger-ui-bundle.js", async (c) =>
      c.body(await swaggerFile("swagger-ui-bundle.js").text(), 200, {
        "Content-Type": "text/javascript; charset=utf-8",
      }),
    )
    .get("/favicon-32x32.png", async (c) =>
      c.body(await swaggerFile("favicon-32x32.png").arrayBuffer(), 200, { "Content-Type": "image/png" }),
    );

/** Calls `make` once. */
function once<Result>(make: () => Promise<Result>): () => Promise<Result> {
  let made: Promise<Result> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

const markdown = "text/markdown; charset=utf-8";

/** The document in its forms, built from the app's route table on the first request. */
export function documentRoutes(app: Hono<AppEnv>) {
  const readDocument = once(async () => published(await buildDocument(app)));
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
    .get("/llms.txt", async (c) => c.text(await readLlmsText(), 200));
}

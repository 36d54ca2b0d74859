import { Hono } from "hono";
import { openAPIRouteHandler, resolver } from "hono-openapi";
import { z } from "zod";
import type { AppEnv } from "../app-env.ts";

const folder = new URL(".", import.meta.resolve("swagger-ui-dist/package.json"));

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

const start = `SwaggerUIBundle({ url: "/api/openapi.json", dom_id: "#swagger-ui", validatorUrl: null, persistAuthorization: true });\n`;

/** All that the page may load: itself. Swagger UI writes style attributes and data: images. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
  "connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

const packaged = (name: string) => Bun.file(new URL(name, folder));

/** The API page, whole from this server: no other host is asked for anything. */
export const docsRoutes = () =>
  new Hono<AppEnv>()
    .get("/", (c) => c.html(page, 200, { "Content-Security-Policy": policy }))
    .get("/start.js", (c) => c.body(start, 200, { "Content-Type": "text/javascript; charset=utf-8" }))
    .get("/swagger-ui.css", async (c) =>
      c.body(await packaged("swagger-ui.css").text(), 200, { "Content-Type": "text/css; charset=utf-8" }),
    )
    .get("/swagger-ui-bundle.js", async (c) =>
      c.body(await packaged("swagger-ui-bundle.js").text(), 200, { "Content-Type": "text/javascript; charset=utf-8" }),
    )
    .get("/favicon-32x32.png", async (c) =>
      c.body(await packaged("favicon-32x32.png").arrayBuffer(), 200, { "Content-Type": "image/png" }),
    );

const ErrorShape = z.object({
  error: z.string(),
  code: z.string(),
  details: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  required: z.array(z.string()).optional(),
  granted: z.array(z.string()).optional(),
  requestId: z.string(),
});

const everyRoute = { responses: { "2XX": { description: "Done" }, default: { $ref: "#/components/responses/Error" } } };

/** The OpenAPI document, read off the app's own route table the first time it is asked for. */
export const apiDocument = (app: Hono<AppEnv>) =>
  openAPIRouteHandler(app, {
    defaultOptions: { GET: everyRoute, POST: everyRoute, PUT: everyRoute, DELETE: everyRoute },
    defaultValidationErrorResponse: false,
    documentation: {
      info: {
        title: "Reelwright",
        version: "0.1.0",
        description: "Projects, media, templates and frame-exact MP4 export for short marketing videos.",
      },
      components: {
        responses: {
          Error: {
            description: "What went wrong, in one sentence a person can act on",
            content: { "application/json": { schema: resolver(ErrorShape) } },
          },
        },
        securitySchemes: {
          bearer: { type: "http", scheme: "bearer", description: "An access token from a login, or an API token." },
        },
      },
    },
  });

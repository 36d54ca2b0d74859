import { Hono } from "hono";
import { openAPIRouteHandler, resolver } from "hono-openapi";
import { z } from "zod";
import type { AppEnv } from "../app-env.ts";

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

const startScript = `SwaggerUIBundle({ url: "/api/openapi.json", dom_id: "#swagger-ui", validatorUrl: null, persistAuthorization: true });\n`;

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

const ErrorSchema = z.object({
  error: z.string(),
  code: z.string(),
  details: z
    .union([
      z.array(z.object({ path: z.string(), message: z.string() })),
      z.object({ model: z.string(), models: z.array(z.string()) }),
      z.object({ limit: z.string(), used: z.number(), allowed: z.number() }),
    ])
    .optional(),
  required: z.array(z.string()).optional(),
  granted: z.array(z.string()).optional(),
  requestId: z.string(),
});

const defaultResponses = {
  responses: { "2XX": { description: "Success" }, default: { $ref: "#/components/responses/Error" } },
};

/** The OpenAPI document, generated from the app's route table on the first request. */
export const apiDocument = (app: Hono<AppEnv>) =>
  openAPIRouteHandler(app, {
    defaultOptions: { GET: defaultResponses, POST: defaultResponses, PUT: defaultResponses, DELETE: defaultResponses },
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
            description: "The error as one sentence and a stable code",
            content: { "application/json": { schema: resolver(ErrorSchema) } },
          },
        },
        securitySchemes: {
          bearer: { type: "http", scheme: "bearer", description: "An access token from a login, or an API token." },
        },
      },
    },
  });

import { afterAll, expect, test } from "bun:test";
import { findTargetHandler } from "hono/utils/handler";
import { allowQueryToken, requirementOf } from "../../src/http/middleware/require-scopes.ts";
import { sharedService, testService } from "../support/service.ts";
import { listen } from "../support/uploads.ts";

const service = await sharedService();
const forEditors = await testService({ CORS_ORIGINS: "https://editor.example.com, http://localhost:5173" });
afterAll(() => forEditors.close());

type Access = { scopes?: readonly string[]; acceptsQueryToken: boolean };

/** The credential that each route requires, read from the app's route table. */
function routeTable(): Map<string, Access> {
  const table = new Map<string, Access>();
  for (const { method, path, handler } of service.app.routes) {
    if (method === "ALL") continue;
    const route = `${method} ${path}`;
    const target = findTargetHandler(handler);
    const { scopes, acceptsQueryToken } = table.get(route) ?? { acceptsQueryToken: false };
    table.set(route, {
      scopes: scopes ?? requirementOf(target),
      acceptsQueryToken: acceptsQueryToken || target === allowQueryToken,
    });
  }
  return table;
}

const assets = "/api/projects/:projectId/assets";
const templates = "/api/projects/:projectId/templates";
const works = "/api/projects/:projectId/works";
const films = "/api/projects/:projectId/films";
const batches = "/api/projects/:projectId/batches";
const batchMakers = "works:write works:read projects:read";
const filmMakers = "ai:generate works:write projects:read";
const media = `${works}/:workId/media`;
const slots = [
  "reference",
  "scene/:sceneIndex/image",
  "scene/:sceneIndex/video",
  "scene/:sceneIndex/voice",
  "audio",
  "voice",
];

const preview = "/api/projects/:projectId/works/:workId/preview";

const expected: Record<string, string> = {
  "GET /api/auth/me": "",
  "PUT /api/auth/me": "login",
  "DELETE /api/auth/me": "login",
  "POST /api/auth/password": "login",
  "POST /api/auth/logout-all": "login",
  "DELETE /api/auth/session": "login",
  "GET /api/auth/sessions": "login",
  "GET /api/auth/sessions/:sessionId": "login",
  "DELETE /api/auth/sessions/:sessionId": "login",
  "GET /api/auth/provider-keys": "login",
  "PUT /api/auth/provider-keys/:provider": "login",
  "DELETE /api/auth/provider-keys/:provider": "login",
  "GET /api/tokens": "login",
  "POST /api/tokens": "login",
  "DELETE /api/tokens/:tokenId": "login",
  "GET /api/projects": "projects:read",
  "POST /api/projects": "projects:write",
  "GET /api/projects/:projectId": "projects:read",
  "PUT /api/projects/:projectId": "projects:write",
  "DELETE /api/projects/:projectId": "projects:write",
  [`GET ${assets}`]: "projects:read",
  [`POST ${assets}`]: "projects:write",
  [`GET ${assets}/:assetId/meta`]: "projects:read",
  [`GET ${assets}/:assetId/thumbnail`]: "projects:read ?token",
  [`GET ${assets}/:assetId`]: "projects:read ?token",
  [`PUT ${assets}/:assetId`]: "projects:write",
  [`DELETE ${assets}/:assetId`]: "projects:write",
  [`POST ${assets}/:assetId/analyze`]: "ai:analyze",
  [`POST ${assets}/analyze-batch`]: "ai:analyze",
  [`POST ${assets}/from-stock`]: "projects:write",
  "GET /api/stock": "projects:read",
  "POST /api/analyze/product-match": "ai:analyze",
  [`GET ${templates}`]: "projects:read",
  [`POST ${templates}`]: "projects:write",
  [`GET ${templates}/:templateId`]: "projects:read",
  [`PUT ${templates}/:templateId`]: "projects:write",
  [`DELETE ${templates}/:templateId`]: "projects:write",
  [`POST ${templates}/:templateId/apply`]: "projects:read",
  [`GET ${templates}/:templateId/thumbnail`]: "projects:read ?token",
  [`GET ${templates}/:templateId/export`]: "projects:read",
  [`POST ${templates}/import`]: "projects:write",
  "GET /api/projects/:projectId/looks": "projects:read",
  "POST /api/projects/:projectId/looks": "projects:write",
  "POST /api/projects/:projectId/looks/preview": "projects:write",
  "GET /api/projects/:projectId/looks/:name/preview": "projects:read ?token",
  "DELETE /api/projects/:projectId/looks/:name": "projects:write",
  "GET /api/template-library": "projects:read",
  "GET /api/template-library/:libraryId": "projects:read",
  "GET /api/template-library/:libraryId/thumbnail": "projects:read ?token",
  "GET /api/template-library/:libraryId/preview": "projects:read ?token",
  [`GET ${works}`]: "works:read",
  [`POST ${works}`]: "works:write",
  [`POST ${works}/from-otio`]: "works:write",
  [`POST ${works}/from-edit`]: "projects:write works:write",
  [`GET ${works}/:workId`]: "works:read",
  [`PUT ${works}/:workId`]: "works:write",
  [`DELETE ${works}/:workId`]: "works:write",
  [`POST ${works}/:workId/apply-template`]: "works:write",
  [`GET ${works}/:workId/versions`]: "works:read",
  [`GET ${works}/:workId/versions/:versionId/thumbnail`]: "works:read ?token",
  [`POST ${works}/:workId/versions/:versionId/restore`]: "works:write",
  "POST /api/projects/:projectId/films/:filmId/copy": "ai:generate works:write projects:read",
  [`GET ${works}/:workId/frame`]: "works:read ?token",
  [`GET ${works}/:workId/contact-sheet`]: "works:read ?token",
  ...Object.fromEntries(
    slots.flatMap((slot) => [
      [`GET ${media}/${slot}`, "works:read ?token"],
      [`POST ${media}/${slot}`, "works:write"],
      [`DELETE ${media}/${slot}`, "works:write"],
    ]),
  ),
  [`POST ${works}/:workId/reviews`]: "works:write",
  [`GET ${works}/:workId/reviews`]: "works:write",
  [`DELETE ${works}/:workId/reviews/:reviewId`]: "works:write",
  [`GET ${works}/:workId/comments`]: "works:read",
  [`POST ${works}/:workId/comments/:commentId/replies`]: "works:write",
  [`PUT ${works}/:workId/comments/:commentId`]: "works:write",
  [`DELETE ${works}/:workId/comments/:commentId`]: "works:write",
  "POST /api/generate/speech": "ai:generate",
  "POST /api/transcribe": "ai:analyze",
  [`POST ${works}/:workId/generate/voice`]: "ai:generate works:write",
  "POST /api/style-guide/extract": "ai:generate",
  "POST /api/style-guide/extract-from-landing": "ai:generate",
  "GET /api/providers": "",
  "GET /api/usage": "",
  "GET /api/usage/storage": "",
  "GET /api/operations/:operationId": "",
  "GET /api/prices": "",
  "GET /api/beds/:name/sound": "?token",
  "GET /api/spend": "",
  "GET /api/projects/:projectId/budget": "projects:read",
  "PUT /api/projects/:projectId/budget": "projects:write",
  "DELETE /api/projects/:projectId/budget": "projects:write",
  [`DELETE ${batches}/:batchId`]: batchMakers,
  [`GET ${batches}`]: "works:read",
  [`GET ${batches}/:batchId`]: "works:read",
  [`GET ${batches}/:batchId/archive.zip`]: "works:read ?token",
  [`GET ${batches}/:batchId/events`]: "works:read ?token",
  [`GET ${batches}/:batchId/films`]: "works:read",
  [`GET ${batches}/:batchId/manifest.csv`]: "works:read ?token",
  [`GET ${batches}/:batchId/manifest.json`]: "works:read ?token",
  [`PUT ${batches}/:batchId`]: batchMakers,
  [`POST ${batches}`]: batchMakers,
  [`POST ${batches}/:batchId/approve`]: batchMakers,
  [`POST ${batches}/:batchId/cancel`]: batchMakers,
  [`POST ${batches}/:batchId/films/:itemId/approve`]: batchMakers,
  [`POST ${batches}/:batchId/films/:itemId/reject`]: batchMakers,
  [`POST ${batches}/:batchId/keys`]: batchMakers,
  [`POST ${batches}/:batchId/retry`]: batchMakers,
  [`POST ${batches}/validate`]: "works:read",
  [`POST ${films}`]: filmMakers,
  [`POST ${films}/estimate`]: "works:read",
  [`GET ${films}`]: "works:read",
  [`GET ${films}/:filmId`]: "works:read",
  [`PUT ${films}/:filmId`]: filmMakers,
  [`DELETE ${films}/:filmId`]: filmMakers,
  [`POST ${films}/:filmId/approve`]: filmMakers,
  [`POST ${films}/:filmId/cancel`]: filmMakers,
  [`POST ${films}/:filmId/keys`]: filmMakers,
  [`POST ${films}/:filmId/steps/:stepId/retry`]: filmMakers,
  [`PUT ${films}/:filmId/steps/:stepId`]: filmMakers,
  [`GET ${films}/:filmId/events`]: "works:read ?token",
  [`GET ${films}/:filmId/file`]: "works:read ?token",
  "DELETE /api/operations/:operationId": "",
  "GET /api/projects/:projectId/assets/:assetId/waveform": "projects:read",
  "POST /api/projects/:projectId/assets/:assetId/beats": "projects:read",
  "POST /api/export": "works:read projects:read",
  "POST /api/export/frame": "works:read projects:read",
  "POST /api/export/contact-sheet": "works:read projects:read",
  "POST /api/export/validate": "works:read projects:read",
  "POST /api/export/check": "works:read projects:read",
  "POST /api/export/preview": "works:read projects:read",
  [`GET ${preview}`]: "works:read ?token",
  [`GET ${preview}/:previewId/segments/:segmentId`]: "works:read ?token",
  [`GET ${preview}/:previewId/segments/:segmentId/init`]: "works:read ?token",
  [`GET ${preview}/:previewId/sound`]: "works:read ?token",
  "GET /api/projects/:projectId/destinations": "projects:read",
  "GET /api/projects/:projectId/destinations/:destination": "projects:read",
  "PUT /api/projects/:projectId/destinations/:destination": "projects:write",
  "DELETE /api/projects/:projectId/destinations/:destination": "projects:write",
  "GET /api/exports/:exportId/deliveries": "works:read projects:read",
  "POST /api/exports/:exportId/deliveries": "works:read works:write projects:read",
  "POST /api/exports/:exportId/deliveries/:deliveryId/retry": "works:read works:write projects:read",
  "POST /api/exports": "works:read projects:read",
  "GET /api/exports": "works:read projects:read",
  "GET /api/exports/:exportId": "works:read projects:read",
  "GET /api/exports/:exportId/file": "works:read projects:read ?token",
  "GET /api/exports/:exportId/captions.srt": "works:read projects:read ?token",
  "GET /api/exports/:exportId/captions.vtt": "works:read projects:read ?token",
  "POST /api/captions": "works:read projects:read",
  "GET /api/exports/:exportId/check": "works:read projects:read",
  "GET /api/exports/:exportId/poster": "works:read projects:read ?token",
  "GET /api/exports/:exportId/timeline.otio": "works:read projects:read ?token",
  "GET /api/exports/:exportId/timeline.fcpxml": "works:read projects:read ?token",
  "GET /api/exports/:exportId/timeline.edl": "works:read projects:read ?token",
  "GET /api/exports/:exportId/timeline.zip": "works:read projects:read ?token",
  "GET /api/exports/:exportId/film.json": "works:read projects:read",
  "GET /api/exports/:exportId/provenance": "works:read projects:read",
  "GET /api/exports/:exportId/events": "works:read projects:read ?token",
  "GET /api/exports/:exportId/webhook": "works:read projects:read",
  "POST /api/exports/:exportId/webhook/replay": "works:read projects:read",
  "DELETE /api/exports/:exportId": "works:read projects:read",
  "POST /api/analyze": "ai:analyze",
  "POST /api/scenario": "ai:generate",
  [`POST ${works}/:workId/scenario`]: "ai:generate works:write",
  "POST /api/generate/image": "ai:generate",
  "POST /api/generate/video": "ai:generate",
  "POST /api/generate/music": "ai:generate",
  [`POST ${works}/:workId/generate/scene/:sceneIndex`]: "ai:generate works:write",
};

const open = [
  "POST /api/auth/register",
  "POST /api/auth/login",
  "POST /api/auth/refresh",
  "POST /api/auth/logout",
  "POST /api/auth/session",
  "GET /api/health",
  "GET /api/ready",
  "GET /api/looks",
  "GET /api/looks/:name/preview",
  "GET /api/beds",
  "GET /api/beds/:name/preview",
  "GET /api/effects",
  "GET /api/effects/:name/sound",
  "GET /api/motion",
  "GET /api/motion/:role/:name/preview",
  "GET /api/openapi.json",
  "GET /api/media/:mediaId",
  "GET /api/reviews/:secret",
  "GET /api/reviews/:secret/file",
  "POST /api/reviews/:secret/comments",
  "POST /api/reviews/:secret/approval",
  "GET /docs",
  "GET /docs/start.js",
  "GET /docs/swagger-ui.css",
  "GET /docs/swagger-ui-bundle.js",
  "GET /docs/style.css",
  "GET /docs/api.md",
  "GET /docs/errors.md",
  "GET /docs/*",
  "GET /llms.txt",
  "GET /",
  ...["film.mp4", "filmstrip.jpg", "icon.svg", "inter-extrabold.ttf", "inter-regular.ttf"].map(
    (name) => `GET /home/${name}`,
  ),
  "GET /studio/*",
  "GET /studio/files/:name",
  ...["clip.mp4", "poster.jpg", "script.js", "style.css"].map((name) => `GET /home/${name}`),
  // its handler identifies the caller, and each tool's route checks scopes: test/http/mcp
  "POST /mcp",
];

const formatAccess = ({ scopes, acceptsQueryToken }: Access) =>
  [...(scopes ?? ["open"]), ...(acceptsQueryToken ? ["?token"] : [])].join(" ");

test("every route requires the scopes of its row, and only the listed routes are open", () => {
  const actual = Object.fromEntries([...routeTable()].map(([route, access]) => [route, formatAccess(access)]));

  expect(actual).toEqual({ ...expected, ...Object.fromEntries(open.map((route) => [route, "open"])) });
});

test("without a credential every other route responds 401, regardless of the body", async () => {
  for (const route of Object.keys(expected)) {
    const [method, path] = route.split(" ");
    const response = await service.request(path!.replaceAll(/:\w+/g, "1"), {
      method,
      body: method === "GET" ? null : "x",
    });
    expect([route, response.status, (await response.json()).code]).toEqual([route, 401, "unauthenticated"]);
  }
});

test("responses carry the security headers", async () => {
  const { headers } = await service.request("/api/health");

  expect(headers.get("x-content-type-options")).toBe("nosniff");
  expect(headers.get("content-security-policy")).toBe("default-src 'none'; frame-ancestors 'none'");
  expect(headers.get("x-frame-options")).toBe("SAMEORIGIN");
  expect(headers.get("referrer-policy")).toBe("no-referrer");
});

test("HEAD over a port has the status, type and length of GET", async () => {
  const ann = await service.register();
  const server = listen(service);
  const send = (method: string, path: string) =>
    fetch(server.url + path, {
      method,
      headers: { authorization: `Bearer ${ann.accessToken}`, "accept-encoding": "identity" },
    });
  for (const path of [
    "/",
    "/api/projects",
    "/api/auth/me",
    "/docs",
    "/docs/start.js",
    "/api/openapi.json",
    "/api/nothing",
  ]) {
    const get = await send("GET", path);
    const head = await send("HEAD", path);
    expect([path, head.status, head.headers.get("content-type")]).toEqual([
      path,
      get.status,
      get.headers.get("content-type"),
    ]);
    expect([path, head.headers.get("content-length")]).toEqual([path, `${(await get.bytes()).length}`]);
    expect(await head.text()).toBe("");
  }
  server.stop();
});

const preflight = (origin: string) =>
  forEditors.request("/api/projects", {
    method: "OPTIONS",
    headers: {
      origin,
      "access-control-request-method": "PUT",
      "access-control-request-headers": "authorization,if-match",
    },
  });

test("CORS allows the configured origins and exposes the response headers to them", async () => {
  for (const origin of ["https://editor.example.com", "http://localhost:5173"]) {
    const before = await preflight(origin);
    expect(before.status).toBe(204);
    expect(before.headers.get("access-control-allow-origin")).toBe(origin);
    expect(before.headers.get("access-control-allow-methods")).toContain("PUT");
    expect(before.headers.get("access-control-allow-headers")).toBe("authorization,if-match");

    const rejected = await forEditors.request("/api/projects", { headers: { origin } });
    expect([rejected.status, rejected.headers.get("access-control-allow-origin")]).toEqual([401, origin]);
    expect(rejected.headers.get("access-control-expose-headers")).toContain("ETag");
    expect(rejected.headers.get("access-control-expose-headers")).toContain("X-Export-Warnings");
    expect(rejected.headers.get("vary")).toContain("Origin");
    expect(rejected.headers.get("access-control-allow-credentials")).toBeNull();
  }
});

test("CORS allows no other origin", async () => {
  for (const origin of ["https://evil.example.com", "https://editor.example.com.evil.com", "null"]) {
    expect((await preflight(origin)).headers.get("access-control-allow-origin")).toBeNull();
  }
});

import { afterAll, expect, test } from "bun:test";
import { testService } from "../../helpers/service.ts";

const service = await testService();
afterAll(() => service.close());

type Operation = {
  readonly security?: readonly { readonly bearer: readonly string[] }[];
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly required?: boolean }[];
  readonly requestBody?: {
    readonly content: Record<string, { readonly schema: { properties: Record<string, unknown> } }>;
  };
  readonly responses: Record<string, { readonly description?: string; readonly $ref?: string }>;
};

const document = (await (await service.request("/api/openapi.json")).json()) as {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
  components: { responses: Record<string, unknown> };
};

const methods = ["GET", "POST", "PUT", "DELETE"];
const documentedRoutes = Object.entries(document.paths).flatMap(([path, operations]) =>
  Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
);

test("the document contains every route of the API", () => {
  const routes = service.app.routes
    .filter(({ method, path }) => methods.includes(method) && path.startsWith("/api/") && !path.endsWith(".json"))
    .map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, "{$1}")}`);

  expect(documentedRoutes.sort()).toEqual([...new Set(routes)].sort());
});

test("an operation has its path, body, scopes and errors", () => {
  const { put } = document.paths["/api/projects/{projectId}/works/{workId}"]!;

  expect(put!.security).toEqual([{ bearer: ["works:write"] }]);
  expect(put!.parameters).toContainEqual(expect.objectContaining({ name: "workId", in: "path", required: true }));
  expect(Object.keys(put!.requestBody!.content["application/json"]!.schema.properties)).toContain("editorState");
  expect(put!.responses.default).toEqual({ $ref: "#/components/responses/Error" });
  expect(document.components.responses.Error).toBeDefined();
});

test("an asset's description is in the form of its upload and in the body of its PUT", () => {
  const { post } = document.paths["/api/projects/{projectId}/assets"]!;
  const { put } = document.paths["/api/projects/{projectId}/assets/{assetId}"]!;
  const fields = ({ requestBody }: Operation, type: string) =>
    Object.keys(requestBody!.content[type]!.schema.properties);
  expect(fields(post!, "multipart/form-data")).toEqual(["file", "name", "tags", "description"]);
  expect(fields(put!, "application/json")).toContain("description");
});

test("every response in the document has a description, as OpenAPI requires", () => {
  for (const { responses } of Object.values(document.paths).flatMap((operations) => Object.values(operations))) {
    expect(Object.keys(responses).length).toBeGreaterThan(0);
    for (const { description, $ref } of Object.values(responses)) expect(description ?? $ref).toBeString();
  }
});

test("the page loads everything from this service, and its policy allows nothing else", async () => {
  const page = await service.request("/docs");

  expect(page.headers.get("content-type")).toStartWith("text/html");
  expect(page.headers.get("content-security-policy")).toContain("default-src 'none'; script-src 'self'");
  const html = await page.text();
  expect(html).not.toMatch(/https?:|\/\/\w/);

  const loaded = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path!);
  expect(loaded).toHaveLength(4);
  for (const path of loaded) {
    const response = await service.request(path);
    expect([path, response.status]).toEqual([path, 200]);
    expect((await response.bytes()).length).toBeGreaterThan(50);
  }
  expect(await (await service.request("/docs/start.js")).text()).toContain('"/api/openapi.json"');
});

import { expect, test } from "bun:test";
import { operationsByTag } from "../../../src/http/document/operations.ts";
import type { ApiDocument } from "../../../src/http/document/types.ts";
import { httpErrors } from "../../../src/http/response/error-status.ts";
import { sharedService } from "../../support/service.ts";

const service = await sharedService();

test("the page loads everything from this service, and its policy allows nothing else", async () => {
  const page = await service.request("/docs");

  expect(page.headers.get("content-type")).toStartWith("text/html");
  expect(page.headers.get("content-security-policy")).toContain("default-src 'none'; script-src 'self'");
  const html = await page.text();
  expect(html).not.toMatch(/https?:|\/\/\w/);

  const loaded = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path!);
  expect(loaded).toHaveLength(11);
  for (const path of loaded) {
    const response = await service.request(path);
    expect([path, response.status]).toEqual([path, 200]);
    expect((await response.bytes()).length).toBeGreaterThan(50);
  }
  expect(await (await service.request("/docs/start.js")).text()).toContain('"/api/openapi.json"');
});

// read as text: a heading, a line or a table row for each
const document: ApiDocument = await (await service.request("/api/openapi.json")).json();
const operations = operationsByTag(document).flatMap((group) => group.operations);
const routes = operations.map(({ method, path }) => `\`${method.toUpperCase()} ${path}\``);

test.each([
  ["/docs/api.md", "text/markdown; charset=utf-8", "# Reelwright API\n", routes],
  [
    "/docs/errors.md",
    "text/markdown; charset=utf-8",
    "# Errors\n",
    Object.keys(httpErrors).map((code) => `### ${code}\n`),
  ],
  ["/llms.txt", "text/plain; charset=UTF-8", "# Reelwright\n", routes],
])("%s names everything that there is", async (path, type, title, names) => {
  const response = await service.request(path);
  expect(response.headers.get("content-type")).toBe(type);
  const text = await response.text();
  expect(text).toStartWith(title);
  expect(names.length).toBeGreaterThan(30);
  expect(names.filter((name) => !text.includes(name))).toEqual([]);
});

test("each page of docs is read on the service, and so is what it links to in docs", async () => {
  const folder = new URL("../../../docs/", import.meta.url);
  const names = [...new Bun.Glob("**/*.md").scanSync(folder.pathname)];
  expect(names.length).toBeGreaterThan(50);
  const linked = await Promise.all(
    names.map(async (name) => {
      const text = await Bun.file(new URL(name, folder)).text();
      const links = [...text.matchAll(/\]\(([^):#\s]+\.(?:md|jpg|png|webp))(?:#[^)]*)?\)/g)].map(([, link]) => link!);
      return links.map((link) => new URL(link, `http://host/docs/${name}`).pathname);
    }),
  );
  const paths = new Set([...names.map((name) => `/docs/${name}`), ...linked.flat()]);
  for (const path of [...paths].filter((each) => each.startsWith("/docs/"))) {
    expect([path, (await service.request(path)).status]).toEqual([path, 200]);
  }
  for (const path of ["/docs/none.md", "/docs/..%2Fpackage.json", "/docs/%2e%2e/README.md", "/docs/%"]) {
    expect([path, (await service.request(path)).status]).toEqual([path, 404]);
  }
});

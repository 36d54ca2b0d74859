import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { testService } from "../../helpers/service.ts";

const service = await testService();
afterAll(() => service.close());

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

test.each([
  ["/docs/api.md", "text/markdown; charset=utf-8", "docs/api.md"],
  ["/docs/errors.md", "text/markdown; charset=utf-8", "docs/errors.md"],
  ["/llms.txt", "text/plain; charset=UTF-8", "docs/llms.txt"],
])("%s is generated, and the file of it is current: bun run docs", async (path, type, file) => {
  const response = await service.request(path);
  expect(response.headers.get("content-type")).toBe(type);
  expect(await response.text()).toBe(await Bun.file(join(import.meta.dir, "../../..", file)).text());
});

import { afterAll, expect, test } from "bun:test";
import { Hono } from "hono";
import { TrieRouter } from "hono/router/trie-router";
import { SegmentRouter } from "../../src/http/router.ts";
import { testService } from "../helpers/service.ts";

const { app, close } = await testService();
afterAll(() => close());

const trie = new TrieRouter<unknown>();
for (const { method, path, handler, basePath } of app.routes)
  trie.add(method, path, [handler, { basePath, path, method, handler }]);

/** The paths of all routes, with values for their parameters, and others near them. */
const paths = [...new Set(app.routes.map(({ path }) => path))].flatMap((path) => {
  const filled = path.replace(/:\w+/g, (name) => `${name.slice(1)}-1`).replace(/\*$/, "else");
  return [filled, `${filled}/`, `${filled}/more`, filled.replace(/[^/]+$/, "analyze")];
});

/** The handlers that match, with the parameters of each. */
function found(result: ReturnType<typeof trie.match>) {
  const [handlers, stash] = result;
  return handlers.map((entry) => {
    const [[handler], parameters] = entry as [[unknown], Record<string, string | number>];
    const values = Object.entries(parameters).map(([name, value]) => [
      name,
      typeof value === "number" ? stash?.[value] : value,
    ]);
    return { handler, parameters: Object.fromEntries(values) };
  });
}

test.each(["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])(
  "%s finds the handlers that Hono's router finds",
  (method) => {
    for (const path of paths) {
      expect([path, found(app.router.match(method, path) as never)]).toEqual([path, found(trie.match(method, path))]);
    }
  },
);

test("a name and a parameter can be in the same place of two routes", async () => {
  const { request } = new Hono({ router: new SegmentRouter() })
    .get("/files/checks", (c) => c.text("checks"))
    .get("/files/:id/checks", (c) => c.text(`checks of ${c.req.param("id")}`));
  const textOf = async (path: string) => (await request(path)).text();

  expect(await textOf("/files/checks")).toBe("checks");
  expect(await textOf("/files/checks/checks")).toBe("checks of checks");
});

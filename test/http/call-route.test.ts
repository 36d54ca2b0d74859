import { afterAll, expect, test } from "bun:test";
import { descriptionOf } from "../../src/http/openapi.ts";
import { countedService } from "./counted-service.ts";

const { service, counts } = await countedService();
const ann = await service.register("Ann");
afterAll(() => service.close());

test("so does a request apart from its connection", async () => {
  const headers = { prefer: "respond-async" };
  const before = { ...counts };
  const { status } = await ann.json("POST", "/api/generate/image", { prompt: "A lake" }, headers);
  expect(status).toBe(202);
  expect([counts.identified - before.identified, counts.requests - before.requests]).toEqual([1, 1]);
});

test("every route checks the caller, then the key of a repeated request, and only then starts an operation", () => {
  const rankOf = (handler: object): number | undefined => {
    const { security, parameters = [] } = descriptionOf(handler);
    const names = parameters.map((parameter) => ("name" in parameter ? parameter.name : ""));
    if (security) return 0;
    if (names.includes("Idempotency-Key")) return 1;
    return names.includes("Prefer") ? 2 : undefined;
  };
  const routes = Map.groupBy(service.app.routes, ({ method, path }) => `${method} ${path}`);
  const orders = [...routes].map(([route, handlers]) => ({
    route,
    order: handlers.flatMap(({ handler }) => rankOf(handler) ?? []),
  }));
  for (const { route, order } of orders) expect([route, order]).toEqual([route, order.toSorted()]);
  expect(orders.filter(({ order }) => order.includes(2)).map(({ order }) => order)).toContainEqual([0, 1, 2]);
});

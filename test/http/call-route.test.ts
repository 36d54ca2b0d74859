import { afterAll, beforeEach, expect, test } from "bun:test";
import { descriptionOf } from "../../src/http/openapi.ts";
import { callTool, newClient } from "../support/mcp-clients.ts";
import { scriptedModels } from "../support/models/scripted-models.ts";
import { testService } from "../support/service.ts";
import { listen } from "../support/uploads.ts";

let identified = 0;
let counted = 0;
const { script, models } = scriptedModels();
const service = await testService({}, undefined, (services) => ({
  ...models(services),
  users: {
    ...services.users,
    findLoggedIn: (session) => {
      identified++;
      return services.users.findLoggedIn(session);
    },
  },
  requestLimiter: { take: () => void counted++ },
}));
const ann = await service.register("Ann");
const server = listen(service);
const client = await newClient(server, ann.accessToken);

beforeEach(() => {
  script.reset();
  identified = 0;
  counted = 0;
});
afterAll(async () => {
  await client.close();
  server.stop();
  await service.close();
});

test("a call of a tool identifies its caller once, and is one request of its limit", async () => {
  await callTool(client, "ai_generate_image", { prompt: "A lake" });
  expect([identified, counted]).toEqual([1, 1]);
});

test("so does a request apart from its connection", async () => {
  const headers = { prefer: "respond-async" };
  const { status } = await ann.json("POST", "/api/generate/image", { prompt: "A lake" }, headers);
  expect([status, identified, counted]).toEqual([202, 1, 1]);
});

test("a request over HTTP and a call of a tool with the same key are one task", async () => {
  const body = { prompt: "A lake", negative_prompt: "boats", resolution: { width: 64, height: 36 } };
  const headers = { "idempotency-key": "one-task", "x-image-provider": "local" };
  const first = await (await ann.json("POST", "/api/generate/image", body, headers)).json();
  const again = await callTool(client, "ai_generate_image", { ...body, provider: "local", requestId: "one-task" });
  expect([again, script.imageTasks.length]).toEqual([first, 1]);
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

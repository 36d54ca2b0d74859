import { afterAll, beforeEach, expect, test } from "bun:test";
import { callTool, newClient } from "../support/mcp-clients.ts";
import { listen } from "../support/uploads.ts";
import { countedService } from "./counted-service.ts";

const { service, script, counts, reset } = await countedService();
const ann = await service.register("Ann");
const server = listen(service);
const client = await newClient(server, ann.accessToken);

beforeEach(reset);
afterAll(async () => {
  await client.close();
  server.stop();
  await service.close();
});

test("a call of a tool identifies its caller once, and is one request of its limit", async () => {
  await callTool(client, "ai_generate_image", { prompt: "A lake" });
  expect(counts).toEqual({ identified: 1, requests: 1 });
});

test("a request over HTTP and a call of a tool with the same key are one task", async () => {
  const body = { prompt: "A lake", negative_prompt: "boats", resolution: { width: 64, height: 36 } };
  const headers = { "idempotency-key": "one-task", "x-image-provider": "local" };
  const first = await (await ann.json("POST", "/api/generate/image", body, headers)).json();
  const again = await callTool(client, "ai_generate_image", { ...body, provider: "local", requestId: "one-task" });
  expect([again, script.imageTasks.length]).toEqual([first, 1]);
});

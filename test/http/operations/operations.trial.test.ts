import { afterAll, expect, test } from "bun:test";
import { jsonClient } from "../../support/json-client.ts";
import { holdDrawing, scriptedModels } from "../../support/models/scripted-models.ts";
import { testService } from "../../support/service.ts";

const { script, models } = scriptedModels();
const service = await testService({}, undefined, models);
const api = jsonClient(await service.register("Ann"));
afterAll(() => service.close());

test("DELETE removes the operation and cancels its request", async () => {
  const model = holdDrawing(script);
  const { headers } = await api("POST", "/api/generate/image", { prompt: "A lake" }, { prefer: "respond-async" });
  const signal = await model.started;
  const aborted = Promise.withResolvers<void>();
  signal.addEventListener("abort", () => aborted.resolve());
  const location = headers.get("location")!;
  expect((await api("DELETE", location)).status).toBe(204);
  await aborted.promise;
  model.finish();
  expect((await api("GET", location)).status).toBe(404);
});

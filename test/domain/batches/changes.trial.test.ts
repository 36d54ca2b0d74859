import { afterAll, expect, test } from "bun:test";
import { changeBatch } from "../../../src/domain/batches/changes.ts";
import { newId } from "../../../src/domain/shared/ids.ts";
import { restedBatch } from "../../support/batches.ts";
import { paidFilms, paidOrder, secret } from "../../support/paid-films.ts";
import { requireJson } from "../../support/work-videos.ts";

const { service, close } = await paidFilms();
afterAll(close);

const models = { llm: { provider: "openai" }, image: { provider: "openai" }, video: false };
const film = { ...paidOrder, models, brief: { text: "{{name}}" } };

test("a budget is not set below what is reserved while it is changed", async () => {
  const ann = await service.register();
  const { id: projectId } = await requireJson(ann.json("POST", "/api/projects", { name: "Cups" }));
  const base = `/api/projects/${projectId}/batches`;
  const order = { base: { film }, rows: [{ name: "Cup" }], budget: { limit: 0 } };
  const ordered = await requireJson(ann.json("POST", base, order, { "x-api-key": secret }));
  expect(await restedBatch(ann, `${base}/${ordered.id}`)).toMatchObject({ waitingFor: "budget" });
  const { batches, films, ledger } = service.services;
  await batches.change({ id: ordered.id, projectId }, (found) => ({
    ...found,
    maxSpend: 1_000_000n,
    waitingFor: "key",
  }));
  const read = (await batches.find(projectId, ordered.id))!;
  const call = { id: newId("call"), userId: ann.user.id, projectId, batchId: read.id, stepId: "translation" };
  const reserve = () =>
    ledger.reserve({
      ...{ ...call, provider: "openai", model: "gpt-6-luna", purpose: "translation" },
      ...{ estimate: 50_000n, holderId: "one", createdAt: Date.now() },
    });
  const change: typeof batches.change = async (...args) => {
    await reserve();
    return await batches.change(...args);
  };
  const lower = (maxSpend: bigint, changed = batches) =>
    changeBatch({ ...service.services, batches: changed, films }, read, { maxSpend }, undefined);
  await expect(lower(49_999n, { ...batches, change })).rejects.toMatchObject({ code: "validation_error" });
  expect(await lower(50_000n)).toMatchObject({ maxSpend: 50_000n });
});

import { afterAll, expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import { sql } from "drizzle-orm";
import { productTable, restedBatch } from "../../support/batches.ts";
import { schemaValidator } from "../../support/declared-responses.ts";
import { instantExports } from "../../support/media/instant-exports.ts";
import { parseMetrics } from "../../support/metrics-text.ts";
import { testService } from "../../support/service.ts";
import { webhookReceiver } from "../../support/webhook-receiver.ts";
import { requireJson } from "../../support/work-videos.ts";

const { received, webhook, settings, receivedOnce, stop } = webhookReceiver();
const { secret } = webhook;

const metricsToken = "a-token-for-the-metrics";
const service = await testService({ ...settings, METRICS_TOKEN: metricsToken }, undefined, instantExports);
const ann = await service.register("Ann");
const { base, path } = await productTable(ann);
afterAll(async () => {
  await service.close();
  await stop();
});

const rows = [
  { name: "Rad", price: 1 },
  { name: "Helm", price: 2 },
];

test("a webhook receives the end of the check, each film and the end of the batch, signed", async () => {
  const { id } = await requireJson(ann.json("POST", path, { base, rows: [...rows, { name: "x" }], webhook }));
  const sent = await receivedOnce(4);
  const done = await restedBatch(ann, `${path}/${id}`);
  const events = sent.map(({ body }) => JSON.parse(body));
  const byType = Map.groupBy(events, ({ type }) => type);
  expect(byType.get("batch.validated")).toMatchObject([
    { data: { id, status: "running", counts: { valid: 2, invalid: 1 }, estimate: { films: 2 } } },
  ]);
  const { films } = await requireJson(ann.request(`${path}/${id}/films?status=done`));
  const told = byType.get("batch.film.done")!.map(({ data }) => data);
  expect(told.sort((a, b) => a.row - b.row)).toEqual(
    films.map((film: object) => ({ projectId: done.projectId, batchId: id, ...film })),
  );
  expect(byType.get("batch.done")).toEqual([
    { type: "batch.done", data: done, timestamp: new Date(done.endedAt).toISOString() },
  ]);
  for (const [hook, types] of [
    ["batchChanged", ["batch.validated", "batch.done"]],
    ["batchFilmEnded", ["batch.film.done"]],
  ] as const) {
    const declared = ["webhooks", hook, "post", "requestBody", "content", "application/json", "schema"];
    const validate = await schemaValidator(service.app, declared);
    for (const event of types.flatMap((type) => byType.get(type)!)) {
      expect([validate(event), validate.errors]).toEqual([true, null]);
    }
  }
  for (const { headers, body } of sent) {
    const signed = `${headers.get("webhook-id")}.${headers.get("webhook-timestamp")}.${body}`;
    const expected = createHmac("sha256", Buffer.alloc(32, 7)).update(signed).digest("base64");
    expect(headers.get("webhook-signature")).toBe(`v1,${expected}`);
  }
  const { rows: stored } = (await service.db.execute(sql`select * from batches`)) as unknown as { rows: object[] };
  for (const text of [JSON.stringify([done, films, stored]), ...sent.map(({ body }) => body)]) {
    expect(text).not.toContain(secret);
  }
});

test("the same table again tells of its check and its end only, and both are counted", async () => {
  received.length = 0;
  const { id } = await requireJson(ann.json("POST", path, { base, rows, webhook }));
  const events = (await receivedOnce(2)).map(({ body }) => JSON.parse(body));
  expect(events.map(({ type, data }) => [type, data.id, data.counts.unchanged]).sort()).toEqual([
    ["batch.done", id, 2],
    ["batch.validated", id, 2],
  ]);
  const authorization = `Bearer ${metricsToken}`;
  const scrape = parseMetrics(await (await service.request("/metrics", { headers: { authorization } })).text());
  const counted = (name: string) =>
    Object.fromEntries(
      scrape
        .filter((sample) => sample.name === `reelwright_${name}`)
        .map(({ labels, value }) => [labels.outcome, Number(value)]),
    );
  expect(counted("batches_ended_total")).toMatchObject({ done: 1, partial: 1, error: 0 });
  expect(counted("batch_films_ended_total")).toMatchObject({ done: 2, unchanged: 2, invalid: 1, error: 0 });
});

test("an address that nobody has is refused before anything is stored", async () => {
  const refused = await ann.json("POST", path, { base, rows, webhook: { url: "ftp://example.com/hook" } });
  const { batches } = await requireJson(ann.request(path));
  expect([refused.status, batches.length]).toEqual([422, 2]);
});

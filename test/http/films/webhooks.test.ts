import { afterAll, expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import { sql } from "drizzle-orm";
import { schemaValidator } from "../../support/declared-responses.ts";
import { orderFilm, restedFilm } from "../../support/films.ts";
import { instantExports } from "../../support/media/instant-exports.ts";
import { testService } from "../../support/service.ts";
import { webhookReceiver } from "../../support/webhook-receiver.ts";

const { webhook, settings, receivedOnce, stop } = webhookReceiver();
const { url, secret } = webhook;

const service = await testService(settings, undefined, instantExports);
const ann = await service.register("Ann");
afterAll(async () => {
  await service.close();
  await stop();
});

test("a webhook receives each wait of a film and its end, signed, and its secret is in no answer", async () => {
  const { film, path } = await orderFilm(ann, { stopAt: ["scenario"], webhook: { url, secret } });
  await receivedOnce(1);
  await ann.json("POST", `${path}/approve`);
  const sent = await receivedOnce(2);
  const done = await restedFilm(ann, path);

  const events = sent.map(({ body }) => JSON.parse(body));
  expect(events).toMatchObject([
    { type: "film.waiting", data: { id: film.id, waitingFor: "approval", waitingAt: "scenario" } },
    { type: "film.done", data: done, timestamp: new Date(done.endedAt).toISOString() },
  ]);
  const declared = ["webhooks", "filmChanged", "post", "requestBody", "content", "application/json", "schema"];
  const validate = await schemaValidator(service.app, declared);
  for (const event of events) expect([validate(event), validate.errors]).toEqual([true, null]);

  for (const { headers, body } of sent) {
    const signed = `${headers.get("webhook-id")}.${headers.get("webhook-timestamp")}.${body}`;
    const expected = createHmac("sha256", Buffer.alloc(32, 7)).update(signed).digest("base64");
    expect(headers.get("webhook-signature")).toBe(`v1,${expected}`);
  }
  expect(new Set(sent.map(({ headers }) => headers.get("webhook-id"))).size).toBe(2);

  const { rows } = (await service.db.execute(sql`select * from films`)) as unknown as { rows: object[] };
  for (const text of [JSON.stringify(done), JSON.stringify(rows), ...sent.map(({ body }) => body)]) {
    expect(text).not.toContain(secret);
  }
});

test("an address that nobody has is refused before anything is stored", async () => {
  const { response, base } = await orderFilm(ann, { webhook: { url: "ftp://example.com/hook" } });
  expect([response.status, (await (await ann.request(base)).json()).films]).toEqual([422, []]);
});

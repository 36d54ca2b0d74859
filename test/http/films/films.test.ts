import { afterAll, expect, test } from "bun:test";
import { orderFilm, restedFilm, smallFilm } from "../../support/films.ts";
import { instantExports } from "../../support/media/instant-exports.ts";
import { sharedService, testService } from "../../support/service.ts";

/** Receives the id of each export that is removed from the second service, whose videos nobody renders. */
let onRemoval: (exportId: string) => void = () => {};
const service = await sharedService();
const unrendered = await testService({}, undefined, (services) => ({
  ...instantExports(services),
  exports: {
    ...services.exports,
    async remove(userId, exportId, now) {
      const keys = await services.exports.remove(userId, exportId, now);
      onRemoval(exportId);
      return keys;
    },
  },
}));
afterAll(unrendered.close);

// biome-ignore lint/suspicious/noExplicitAny: a film as JSON
type Json = any;

const statuses = (film: Json) => Object.fromEntries(film.steps.map(({ id, status }: Json) => [id, status]));

test("one call makes a film without a key: a work that the editor opens, and its video", async () => {
  const ann = await service.register();
  const { response, film, path, projectId } = await orderFilm(ann, { scenes: 2, models: {} });
  expect([response.status, response.headers.get("location")]).toEqual([202, path]);
  expect(film).toMatchObject({ status: "queued", name: "Velo Nord", spent: { amount: "0.00", currency: "USD" } });
  expect(film.steps.map(({ id }: Json) => id)).toEqual(["read", "scenario"]);
  expect((await ann.request(`${path}/file`)).status).toBe(409);

  const done = await restedFilm(ann, path);
  expect([done.status, done.waitingReason, done.error]).toEqual(["done", undefined, undefined]);
  expect(new Set(Object.values(statuses(done)))).toEqual(new Set(["done"]));
  expect(Object.keys(statuses(done))).toContain("scene-1-video");
  expect(done.estimate).toMatchObject({ high: "0.00", unpriced: [] });

  const video = await ann.request(`${path}/file`);
  expect([video.status, video.headers.get("content-type")]).toEqual([200, "video/mp4"]);
  expect((await video.bytes()).length).toBeGreaterThan(1000);
  expect(done.files).toEqual([{ target: "9:16", url: `${path}/file?target=9:16` }]);

  const work = await (await ann.request(`/api/projects/${projectId}/works/${done.workId}`)).json();
  expect(work).toMatchObject({ productName: "Velo Nord", scenes: [{}, {}] });
  expect(work.editorState.editorData.videoTrack).toHaveLength(2);
  const works: Json = await (await ann.request(`/api/projects/${projectId}/works`)).json();
  expect(works).toMatchObject([{ id: done.workId, filmId: done.id }]);
  expect((await (await ann.request(`/api/projects/${projectId}/films`)).json()).films).toMatchObject([{ id: done.id }]);
  const again = await ann.request(path);
  expect((await ann.request(path, { headers: { "if-none-match": again.headers.get("etag")! } })).status).toBe(304);

  expect((await ann.json("DELETE", path)).status).toBe(204);
  expect((await ann.request(path)).status).toBe(404);
  expect((await ann.request(`/api/projects/${projectId}/works/${done.workId}`)).status).toBe(200);
});

test("an order with a key is made once, and belongs to its owner", async () => {
  const ann = await service.register();
  const { base, film } = await orderFilm(ann, { stopAt: ["scenario"] });
  const key = { "idempotency-key": "film-1" };
  const body = { ...smallFilm, stopAt: ["scenario"] };
  const first = await (await ann.json("POST", base, body, key)).json();
  const second = await (await ann.json("POST", base, body, key)).json();
  expect(second.id).toBe(first.id);
  expect(first.id).not.toBe(film.id);
  const bob = await service.register("Bob");
  expect((await bob.request(`${base}/${film.id}`)).status).toBe(404);
});

test("a film waits for approvals, is changed, and goes on", async () => {
  const ann = await unrendered.register();
  const { path, projectId } = await orderFilm(ann, { scenes: 2, models: {}, stopAt: ["scenario", "images"] });
  const waiting = await restedFilm(ann, path);
  expect(waiting).toMatchObject({ status: "waiting", waitingFor: "approval", waitingAt: "scenario" });
  expect((await ann.json("POST", `${path}/steps/scene-0-image/retry`)).status).toBe(409);

  const work = await (await ann.request(`/api/projects/${projectId}/works/${waiting.workId}`)).json();
  const [scene] = work.scenes;
  const scenario = [{ ...scene, text_overlay: "Folded in ten seconds" }];
  expect((await ann.json("POST", `${path}/approve`, { scenario })).status).toBe(200);
  const atImages = await restedFilm(ann, path);
  expect(atImages).toMatchObject({ waitingAt: "images" });
  expect(statuses(atImages)).toMatchObject({ "scene-0-image": "done", "scene-0-video": "waiting" });
  expect(Object.keys(statuses(atImages))).not.toContain("scene-1-image");

  expect((await ann.json("POST", `${path}/approve`)).status).toBe(200);
  const done = await restedFilm(ann, path);
  expect(done.status).toBe("done");
  expect((await ann.json("POST", `${path}/approve`)).status).toBe(409);

  const removed = Promise.withResolvers<string>();
  onRemoval = removed.resolve;
  await ann.json("POST", `${path}/steps/scene-0-image/retry`, { prompt: "A folded bike under a desk" });
  const remade = await restedFilm(ann, path);
  const attempts = Object.fromEntries(remade.steps.map(({ id, attempts }: Json) => [id, attempts.length]));
  expect(remade.status).toBe("done");
  expect(attempts).toMatchObject({ scenario: 1, "scene-0-image": 2, "scene-0-video": 2, export: 2 });
  expect(remade.exportId).not.toBe(done.exportId);
  // the video takes the place of the earlier one
  expect(await removed.promise).toBe(done.exportId);
  const { exports } = await (await ann.request("/api/exports")).json();
  expect(exports.map(({ id }: Json) => id)).toEqual([remade.exportId]);
  expect((await ann.request(`${path}/file`)).status).toBe(200);
});

test("a cancelled film stays cancelled, and keeps what is made", async () => {
  const ann = await service.register();
  const { path } = await orderFilm(ann, { stopAt: ["images"] });
  await restedFilm(ann, path);
  const cancelled = await (await ann.json("POST", `${path}/cancel`)).json();
  expect(cancelled).toMatchObject({ status: "cancelled", endedAt: expect.any(Number) });
  expect((await ann.json("POST", `${path}/cancel`)).status).toBe(200);
  expect((await ann.json("POST", `${path}/approve`)).status).toBe(409);
  expect(statuses(cancelled)).toMatchObject({ "scene-0-image": "done" });
});

test("an estimate stores nothing, and a removed project has no films", async () => {
  const ann = await service.register();
  const { base, path, projectId } = await orderFilm(ann, { stopAt: ["scenario"] });
  const estimate = await ann.json("POST", `${base}/estimate`, {
    brief: smallFilm.brief,
    scenes: 3,
    models: { image: { provider: "openai" } },
  });
  const body = await estimate.json();
  expect(estimate.status).toBe(200);
  expect(body.steps.filter(({ kind }: Json) => kind === "image")).toHaveLength(3);
  expect(Number(body.estimate.high)).toBeGreaterThan(0);
  // a page is read by one model, and a reference looked at by another one
  const models = { llm: { provider: "openai" }, vision: { provider: "openai" } };
  const reference = { assetId: `asset_${"0".repeat(32)}` };
  const readCosts = await Promise.all(
    [{ url: "https://example.com" }, { text: "A bike.", reference }, { url: "https://example.com", reference }].map(
      async (brief) => {
        const { steps } = await (await ann.json("POST", `${base}/estimate`, { brief, models })).json();
        return Number(steps[0].estimate);
      },
    ),
  );
  expect(Math.min(...readCosts)).toBeGreaterThan(0);
  expect(readCosts[2]).toBeCloseTo(readCosts[0]! + readCosts[1]!, 6);
  // only the order itself is refused
  const unpriced = {
    brief: smallFilm.brief,
    budget: { limit: "5" },
    models: { llm: { provider: "openai", model: "gpt-0" } },
  };
  const named = await (await ann.json("POST", `${base}/estimate`, unpriced)).json();
  expect(named.estimate.unpriced).toHaveLength(1);
  expect((await (await ann.request(base)).json()).films).toHaveLength(1);
  await ann.json("DELETE", `/api/projects/${projectId}`);
  expect((await ann.request(path)).status).toBe(404);
});

test.each([
  [{ brief: {} }, "brief"],
  [{ scenes: 41 }, "scenes"],
  [{ seconds: 2 }, "seconds"],
  [{ targets: ["9:16", "9:16"] }, "targets"],
  [{ budget: { limit: 1e300 } }, "budget.limit"],
  [{ budget: { limit: "1", currency: "EUR" } }, "budget.currency"],
  [{ template: { templateId: "tmpl_none" } }, "template.templateId"],
  [{ music: { prompt: "calm" } }, "models.music"],
])("%j is no order", async (fields, path) => {
  const { response, film } = await orderFilm(await service.register(), fields);
  expect([response.status, film.details[0].path]).toEqual([400, path]);
});

test.each([
  [{ models: { image: { provider: "nobody" } } }, {}, 400, "unknown_provider"],
  [{ models: { image: { provider: "openai" } } }, {}, 400, "provider_key_required"],
  [
    { models: { image: { provider: "openai" }, video: { provider: "gemini" } } },
    { "x-api-key": "one-for-both" },
    400,
    "provider_key_required",
  ],
  [
    { models: { llm: { provider: "openai", model: "gpt-0" } }, budget: { limit: "5" } },
    { "x-api-key": "sk-test" },
    422,
    "price_unknown",
  ],
  [
    { models: { image: { provider: "openai", model: "gpt-6-luna" } } },
    { "x-api-key": "sk-test" },
    400,
    "provider_model_unavailable",
  ],
  [{ models: { llm: { provider: "local", model: "gpt-0" } } }, {}, 400, "provider_model_unavailable"],
  [{}, { "x-image-provider": "openai" }, 400, "validation_error"],
  [{ brief: { url: "http://127.0.0.1/" } }, {}, 422, "url_not_allowed"],
  [{ brief: { assetIds: [`asset_${"0".repeat(32)}`] } }, {}, 422, "asset_missing"],
])("%j with %j is refused before anything is stored", async (fields, headers, status, code) => {
  const ann = await service.register();
  // safe because a header that is absent is not sent
  const { response, film, base } = await orderFilm(ann, fields, headers as Record<string, string>);
  expect([response.status, film.code]).toEqual([status, code]);
  expect((await (await ann.request(base)).json()).films).toEqual([]);
});

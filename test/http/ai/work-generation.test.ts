import { afterAll, beforeEach, expect, test } from "bun:test";
import { endAbandonedScenes, endInterruptedScenes } from "../../../src/domain/ai/generation/scene-lock.ts";
import { DomainError } from "../../../src/errors.ts";
import { leases as leaseRows } from "../../../src/storage/tables/leases.ts";
import { jsonClient, jsonClientWithScopes } from "../../support/json-client.ts";
import { leaseEnds } from "../../support/lease-ends.ts";
import { scriptedModels } from "../../support/models/scripted-models.ts";
import { workWithScenes } from "../../support/scene-works.ts";
import { sharedService, testService } from "../../support/service.ts";
import { filesOf, listen, png } from "../../support/uploads.ts";

const { script, models } = scriptedModels();
const ends = leaseEnds();
const service = await testService({}, undefined, (services) => ({ ...models(services), ...ends.store(services) }));
const ann = await service.register("Ann");
const api = jsonClient(ann);
afterAll(() => service.close());
beforeEach(() => script.reset());

const scenarioScene = (scene_index: number) => ({
  scene_index,
  duration_seconds: 6.4,
  image_prompt: `Picture ${scene_index}`,
  negative_prompt: "text",
  video_prompt: `Movement ${scene_index}`,
});

async function newWork(fields: object = {}) {
  const work = await workWithScenes(ann, { scenes: [scenarioScene(0), scenarioScene(1)], ...fields });
  const generate = (index: number | string = 0, headers?: Record<string, string>) =>
    api("POST", `${work.base}/generate/scene/${index}`, undefined, headers);
  return { ...work, generate, urls: urlsIn(work.base) };
}

const urlsIn = (base: string) => ({
  imageUrl: `${base}/media/scene/0/image`,
  videoUrl: `${base}/media/scene/0/video`,
});

const calls = () => [script.imageTasks.length, script.videoTasks.length];
const failure = () => new DomainError("content_refused", { provider: "Acme" });

test("a scene gets an image, then a video, with the prompts of the work and its project", async () => {
  const { projectId, generate, scene, urls } = await newWork({
    imageSystemPrompt: "Use ink.",
    videoSystemPrompt: "One shot.",
    resolution: { width: 90, height: 160 },
  });
  await api("PUT", `/api/projects/${projectId}`, { styleGuide: { tone: "calm", must_avoid: ["people"] } });
  const { status, body } = await generate();

  expect([status, body]).toEqual([200, urls]);
  expect(await scene()).toEqual({ sceneIndex: 0, status: "done", ...urls });
  const drawn = script.imageTasks[0]!;
  const animated = script.videoTasks[0]!;
  for (const part of ["Use ink.", "Tone: calm", "Picture 0", "text, people"]) expect(drawn.prompt).toContain(part);
  for (const part of ["One shot.", "Tone: calm", "Movement 0"]) expect(animated.prompt).toContain(part);
  expect(animated).toMatchObject({
    movement: "Movement 0",
    durationSeconds: 6,
    resolution: { width: 90, height: 160 },
  });
  expect(script.inputImages[0]).toEqual(await (await ann.request(urls.imageUrl)).bytes());
});

test("the work shows the status of each step", async () => {
  const { generate, scene, urls } = await newWork();
  const { draw, animate } = script;
  const seen: object[] = [];
  script.draw = async (...args) => {
    seen.push(await scene());
    return draw(...args);
  };
  script.animate = async (...args) => {
    seen.push(await scene());
    return animate(...args);
  };
  await generate();
  expect(seen).toEqual([
    { sceneIndex: 0, status: "generating_image" },
    { sceneIndex: 0, status: "generating_video", imageUrl: urls.imageUrl },
  ]);
});

test("a scene with image and video is returned without a model call", async () => {
  const { base, generate, scene, urls } = await newWork();
  await generate();
  await api("PUT", base, { generatedScenes: [] });
  script.reset();

  expect(await generate()).toMatchObject({ status: 200, body: urls });
  expect([calls(), script.choices]).toEqual([[0, 0], []]);
  expect(await scene()).toEqual({ sceneIndex: 0, status: "done", ...urls });
});

test("a failed video keeps the image, and the next request continues from it", async () => {
  const { generate, scene, urls } = await newWork();
  script.animate = () => Promise.reject(failure());
  const { status, body } = await generate();
  expect([status, body.code]).toEqual([422, "content_refused"]);
  expect(await scene()).toEqual({ sceneIndex: 0, status: "error", error: body.error, imageUrl: urls.imageUrl });

  script.reset();
  expect((await generate()).body).toEqual(urls);
  expect(calls()).toEqual([0, 1]);
  expect(await scene()).toEqual({ sceneIndex: 0, status: "done", ...urls });
});

test("a failed image ends the request before the video", async () => {
  const { generate, scene } = await newWork();
  script.draw = () => Promise.reject(failure());
  const { body } = await generate();
  expect(await scene()).toEqual({ sceneIndex: 0, status: "error", error: body.error });
  expect(calls()).toEqual([1, 0]);
});

test("an uploaded image is animated unchanged", async () => {
  const { generate, upload, urls } = await newWork();
  const own = png(40, 40);
  await upload("scene/0/image", own);
  expect((await generate()).body).toEqual(urls);
  expect(calls()).toEqual([0, 1]);
  expect(script.inputImages[0]).toEqual(new Uint8Array(await own.arrayBuffer()));
});

test("an image uploaded during the generation is animated instead of the generated one", async () => {
  const { generate, upload } = await newWork();
  const { draw } = script;
  const own = png(40, 40);
  script.draw = async (...args) => {
    await upload("scene/0/image", own);
    return draw(...args);
  };
  await generate();
  expect(script.inputImages[0]).toEqual(new Uint8Array(await own.arrayBuffer()));
});

test("each model has its own headers, and x-api-key applies to the model without a key of its own", async () => {
  const { generate } = await newWork();
  await generate(0, {
    "x-image-provider": "one",
    "x-image-model-id": "one-1",
    "x-api-key": "shared",
    "x-video-provider": "two",
    "x-video-api-key": "own",
  });
  expect(script.choices).toEqual([
    { provider: "one", modelId: "one-1", apiKey: "shared" },
    { provider: "two", apiKey: "own" },
  ]);
});

test("x-api-key alone is not sent to two providers", async () => {
  const { generate } = await newWork();
  await generate(0, { "x-image-provider": "one", "x-video-provider": "two", "x-api-key": "shared" });
  expect(script.choices.map(({ apiKey }) => apiKey)).toEqual([undefined, undefined]);
});

/** A work on a service with the real models: local without provider headers. */
async function workWithRealModels() {
  const client = jsonClient(await (await sharedService()).register());
  const { body: project } = await client("POST", "/api/projects", { name: "P" });
  const works = `/api/projects/${project.id}/works`;
  const scenes = [{ ...scenarioScene(0), duration_seconds: 0.5 }];
  const { body: work } = await client("POST", works, { scenes, resolution: { width: 90, height: 160 } });
  const base = `${works}/${work.id}`;
  const generate = (headers?: Record<string, string>) => client("POST", `${base}/generate/scene/0`, undefined, headers);
  return { base, generate, scenes: async () => (await client("GET", base)).body.generatedScenes };
}

test("without headers the local models generate a scene", async () => {
  const { base, generate, scenes } = await workWithRealModels();
  expect(await generate()).toMatchObject({ status: 200, body: urlsIn(base) });
  expect(await scenes()).toEqual([{ sceneIndex: 0, status: "done", ...urlsIn(base) }]);
});

test("both models are checked before either is called", async () => {
  const { generate, scenes } = await workWithRealModels();
  for (const [headers, code] of [
    [{ "x-video-provider": "nobody" }, "unknown_provider"],
    [{ "x-video-provider": "openai" }, "unsupported_capability"],
    [{ "x-video-provider": "google", "x-image-api-key": "key" }, "provider_key_required"],
  ] as const) {
    expect(await generate(headers)).toMatchObject({ status: 400, body: { code } });
  }
  expect(await scenes()).toEqual([]);
});

test("a scene that the scenario does not have is rejected", async () => {
  const { generate } = await newWork();
  const { status, body } = await generate(9);
  expect([status, body.code]).toEqual([422, "scene_missing"]);
  expect(body.error).toMatch(/^The work has no scene 9: it has (only scene 0|scenes 0 to \d)\.$/);
  for (const index of ["500", "01", "x"]) expect((await generate(index)).status).toBe(404);
});

test("the route requires both scopes and the work's owner", async () => {
  const { base } = await newWork();
  for (const scope of ["ai:generate", "works:write"]) {
    const narrow = await jsonClientWithScopes(service, ann, [scope]);
    const { status, body } = await narrow("POST", `${base}/generate/scene/0`);
    expect([status, body.required]).toEqual([403, ["ai:generate", "works:write"]]);
  }
  const bob = jsonClient(await service.register("Bob"));
  expect((await bob("POST", `${base}/generate/scene/0`)).status).toBe(404);
});

test("a retry with the same Idempotency-Key does not repeat a paid step", async () => {
  const { generate, urls } = await newWork();
  const headers = { "idempotency-key": "once" };
  const { animate } = script;
  script.animate = () =>
    Promise.reject(new DomainError("provider_overloaded", { provider: "A", retryAfterSeconds: 1 }));
  expect((await generate(0, headers)).status).toBe(503);
  script.animate = animate;
  for (const _ of [1, 2]) expect((await generate(0, headers)).body).toEqual(urls);
  expect(calls()).toEqual([1, 2]);
});

test("a project deleted during the generation leaves no file", async () => {
  const before = await filesOf(service);
  const { projectId, generate } = await newWork();
  const { animate } = script;
  script.animate = async (...args) => {
    expect((await api("DELETE", `/api/projects/${projectId}`)).status).toBe(204);
    return animate(...args);
  };
  expect((await generate()).status).toBe(404);
  expect(await filesOf(service)).toEqual(before);
});

test("a client that disconnects stops the generation; the image stays", async () => {
  const { base, workId, scene, urls } = await newWork();
  const server = listen(service);
  const client = new AbortController();
  script.animate = async (_, call) => {
    client.abort();
    await new Promise((_, reject) =>
      call.deadlineSignal().addEventListener("abort", () => reject(call.deadlineSignal().reason)),
    );
    throw new Error("unreachable");
  };
  const response = fetch(`${server.url}${base}/generate/scene/0`, {
    method: "POST",
    headers: { authorization: `Bearer ${ann.accessToken}` },
    signal: client.signal,
  });
  await expect(response).rejects.toThrow();
  await ends.ofScene(workId, 0);
  expect(await scene()).toEqual({ sceneIndex: 0, status: "image_ready", imageUrl: urls.imageUrl });
  await server.stop();
});

test("scenes that a dead process left as generating are reset, or generated again", async () => {
  const { base, generate, upload, scene, urls } = await newWork();
  await upload("scene/0/image", png());
  const abandoned = { sceneIndex: 0, status: "generating_video", imageUrl: urls.imageUrl };
  await api("PUT", base, { generatedScenes: [abandoned, { sceneIndex: 1, status: "generating_image" }] });

  await endAbandonedScenes(service.services, Date.now() - 60_000);
  expect(await scene()).toEqual(abandoned);
  await endAbandonedScenes(service.services, Date.now());
  expect([await scene(), await scene(1)]).toEqual([
    { ...abandoned, status: "image_ready" },
    { sceneIndex: 1, status: "pending" },
  ]);

  await api("PUT", base, { generatedScenes: [abandoned] });
  expect(await generate()).toMatchObject({ status: 200, body: urls });
});

test("scenes are reset as soon as the lease of their killed process has expired, others stay", async () => {
  const { base, upload, scene, urls, workId } = await newWork();
  await upload("scene/0/image", png());
  const killed = { sceneIndex: 0, status: "generating_video", imageUrl: urls.imageUrl };
  const own = { sceneIndex: 1, status: "generating_image" };
  await api("PUT", base, { generatedScenes: [killed, own] });
  const { leases } = service.services;
  const lease = { names: [`scene/${workId}/0`], holderId: "a killed process" };
  await leases.acquire(lease, 60_000);

  await endInterruptedScenes(service.services);
  expect([await scene(), await scene(1)]).toEqual([killed, own]);

  await leases.renew([{ ...lease, leaseMs: 0 }]);
  await endInterruptedScenes(service.services);
  expect([await scene(), await scene(1)]).toEqual([{ ...killed, status: "image_ready" }, own]);
  expect(await leases.listExpired("scene/")).toEqual([]);
});

test("a generation whose database went away waits for it once, and is ended when its lease has expired", async () => {
  const { generate, scene, workId } = await newWork();
  const { draw } = script;
  const { leases } = service.services;
  // what a query of the generation throws after it has waited
  script.draw = () => Promise.reject(new DomainError("unavailable", {}));
  expect((await generate()).body.code).toBe("unavailable");
  script.draw = draw;
  expect((await scene()).status).toBe("generating_image");
  expect((await generate()).status).toBe(409);

  await service.db.update(leaseRows).set({ leasedUntil: 0 });
  await endInterruptedScenes(service.services);
  expect((await scene()).status).toBe("pending");
  expect(await leases.listExpired("scene/")).not.toContain(`scene/${workId}/0`);
});

test("a scene that another process generates gets 409, also as the target of an image, until its lease expires", async () => {
  const { projectId, workId, generate } = await newWork();
  const { leases } = service.services;
  const lease = { names: [`scene/${workId}/0`], holderId: "another process" };
  await leases.acquire(lease, 60_000);
  const target = { prompt: "A lake", projectId, workId, sceneIndex: 0 };
  for (const refused of [await generate(), await api("POST", "/api/generate/image", target)]) {
    expect([refused.status, refused.body.code, refused.headers.get("retry-after")]).toEqual([
      409,
      "request_in_progress",
      "10",
    ]);
  }
  expect(calls()).toEqual([0, 0]);

  await leases.renew([{ ...lease, leaseMs: 0 }]);
  expect((await generate()).status).toBe(200);
});

test("a running generation is not reset as abandoned", async () => {
  const { generate, scene } = await newWork();
  const { draw } = script;
  script.draw = async (...args) => {
    await endAbandonedScenes(service.services, Date.now());
    expect((await scene()).status).toBe("generating_image");
    return draw(...args);
  };
  expect((await generate()).status).toBe(200);
});

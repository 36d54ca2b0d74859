import { afterAll, beforeEach, expect, test } from "bun:test";
import { endAbandonedScenes } from "../../../../src/domain/ai/generation/scene-lock.ts";
import { DomainError } from "../../../../src/errors.ts";
import { asking, askingWithScopes } from "../../../helpers/answers.ts";
import { workWithScenes } from "../../../helpers/scene-works.ts";
import { scriptedModels } from "../../../helpers/scripted-models.ts";
import { testService } from "../../../helpers/service.ts";
import { filesOf, listen, png } from "../../../helpers/uploads.ts";

const { script, models } = scriptedModels();
const service = await testService({}, undefined, models);
const ann = await service.register("Ann");
const ask = asking(ann);
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
    ask("POST", `${work.base}/generate/scene/${index}`, undefined, headers);
  return { ...work, generate, urls: urlsIn(work.base) };
}

const urlsIn = (base: string) => ({
  imageUrl: `${base}/media/scene/0/image`,
  videoUrl: `${base}/media/scene/0/video`,
});

const calls = () => [script.drawn.length, script.animated.length];
const failure = () => new DomainError("content_refused", { provider: "Acme" });

test("a scene's picture is drawn, then set in motion, as the work and its project say", async () => {
  const { projectId, generate, scene, urls } = await newWork({
    ...{ imageSystemPrompt: "Use ink.", videoSystemPrompt: "One shot." },
    resolution: { width: 90, height: 160 },
  });
  await ask("PUT", `/api/projects/${projectId}`, { styleGuide: { tone: "calm", must_avoid: ["people"] } });
  const { status, body } = await generate();

  expect([status, body]).toEqual([200, urls]);
  expect(await scene()).toEqual({ sceneIndex: 0, status: "done", ...urls });
  const [drawn, animated] = [script.drawn[0]!, script.animated[0]!];
  for (const part of ["Use ink.", "Tone: calm", "Picture 0", "text, people"]) expect(drawn.prompt).toContain(part);
  for (const part of ["One shot.", "Tone: calm", "Movement 0"]) expect(animated.prompt).toContain(part);
  expect(animated).toMatchObject({
    movement: "Movement 0",
    durationSeconds: 6,
    resolution: { width: 90, height: 160 },
  });
  expect(script.pictures[0]).toEqual(await (await ann.request(urls.imageUrl)).bytes());
});

test("the work shows each step while it is taken", async () => {
  const { generate, scene, urls } = await newWork();
  const { draw, animate } = script;
  const seen: object[] = [];
  script.draw = async (...asked) => {
    seen.push(await scene());
    return draw(...asked);
  };
  script.animate = async (...asked) => {
    seen.push(await scene());
    return animate(...asked);
  };
  await generate();
  expect(seen).toEqual([
    { sceneIndex: 0, status: "generating_image" },
    { sceneIndex: 0, status: "generating_video", imageUrl: urls.imageUrl },
  ]);
});

test("a scene that has both is answered without any model", async () => {
  const { base, generate, scene, urls } = await newWork();
  await generate();
  await ask("PUT", base, { generatedScenes: [] });
  script.reset();

  expect(await generate()).toMatchObject({ status: 200, body: urls });
  expect([calls(), script.choices]).toEqual([[0, 0], []]);
  expect(await scene()).toEqual({ sceneIndex: 0, status: "done", ...urls });
});

test("the picture outlives a failure of the video, and the next request goes on from it", async () => {
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

test("a failure of the picture ends it before the video", async () => {
  const { generate, scene } = await newWork();
  script.draw = () => Promise.reject(failure());
  const { body } = await generate();
  expect(await scene()).toEqual({ sceneIndex: 0, status: "error", error: body.error });
  expect(calls()).toEqual([1, 0]);
});

test("a picture of one's own is set in motion as it is", async () => {
  const { generate, upload, urls } = await newWork();
  const own = png(40, 40);
  await upload("scene/0/image", own);
  expect((await generate()).body).toEqual(urls);
  expect(calls()).toEqual([0, 1]);
  expect(script.pictures[0]).toEqual(new Uint8Array(await own.arrayBuffer()));
});

test("a picture uploaded while one is drawn is the one that moves", async () => {
  const { generate, upload } = await newWork();
  const { draw } = script;
  const own = png(40, 40);
  script.draw = async (...asked) => {
    await upload("scene/0/image", own);
    return draw(...asked);
  };
  await generate();
  expect(script.pictures[0]).toEqual(new Uint8Array(await own.arrayBuffer()));
});

test("each model has its own headers, and one key will do for both", async () => {
  const { generate } = await newWork();
  await generate(0, {
    ...{ "x-image-provider": "one", "x-image-model-id": "one-1", "x-api-key": "shared" },
    ...{ "x-video-provider": "two", "x-video-api-key": "own" },
  });
  expect(script.choices).toEqual([
    { provider: "one", modelId: "one-1", apiKey: "shared" },
    { provider: "two", apiKey: "own" },
  ]);
});

test("one key is not sent to two providers", async () => {
  const { generate } = await newWork();
  await generate(0, { "x-image-provider": "one", "x-video-provider": "two", "x-api-key": "shared" });
  expect(script.choices.map(({ apiKey }) => apiKey)).toEqual([undefined, undefined]);
});

/** The service with its own models, which are local where no header names others. */
async function plainWork() {
  const plain = await testService();
  const her = asking(await plain.register());
  const { body: project } = await her("POST", "/api/projects", { name: "P" });
  const works = `/api/projects/${project.id}/works`;
  const scenes = [{ ...scenarioScene(0), duration_seconds: 0.5 }];
  const { body: work } = await her("POST", works, { scenes, resolution: { width: 90, height: 160 } });
  const base = `${works}/${work.id}`;
  const generate = (headers?: Record<string, string>) => her("POST", `${base}/generate/scene/0`, undefined, headers);
  return { plain, base, generate, scenes: async () => (await her("GET", base)).body.generatedScenes };
}

test("without any header and any key a scene is made on this machine", async () => {
  const { plain, base, generate, scenes } = await plainWork();
  expect(await generate()).toMatchObject({ status: 200, body: urlsIn(base) });
  expect(await scenes()).toEqual([{ sceneIndex: 0, status: "done", ...urlsIn(base) }]);
  await plain.close();
});

test("both models are chosen before either costs anything", async () => {
  const { plain, generate, scenes } = await plainWork();
  for (const [headers, code] of [
    [{ "x-video-provider": "nobody" }, "unknown_provider"],
    [{ "x-video-provider": "openai" }, "unsupported_capability"],
    [{ "x-video-provider": "google", "x-image-api-key": "key" }, "provider_key_required"],
  ] as const) {
    expect(await generate(headers)).toMatchObject({ status: 400, body: { code } });
  }
  expect(await scenes()).toEqual([]);
  await plain.close();
});

test("a scene that the scenario does not have cannot be made", async () => {
  const { generate } = await newWork();
  expect(await generate(2)).toMatchObject({ status: 422, body: { code: "scene_missing" } });
  for (const index of ["500", "01", "x"]) expect((await generate(index)).status).toBe(404);
});

test("it needs both of its scopes, and the work's owner", async () => {
  const { base } = await newWork();
  for (const scope of ["ai:generate", "works:write"]) {
    const narrow = await askingWithScopes(service, ann, [scope]);
    const { status, body } = await narrow("POST", `${base}/generate/scene/0`);
    expect([status, body.required]).toEqual([403, ["ai:generate", "works:write"]]);
  }
  const bob = asking(await service.register("Bob"));
  expect((await bob("POST", `${base}/generate/scene/0`)).status).toBe(404);
});

test("with a key, what an interrupted request has paid for is not paid for again", async () => {
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

test("a project that is deleted meanwhile takes all of it along", async () => {
  const before = await filesOf(service);
  const { projectId, generate } = await newWork();
  const { animate } = script;
  script.animate = async (...asked) => {
    expect((await ask("DELETE", `/api/projects/${projectId}`)).status).toBe(204);
    return animate(...asked);
  };
  expect((await generate()).status).toBe(404);
  expect(await filesOf(service)).toEqual(before);
});

test("a caller who leaves between ends it; the picture stays", async () => {
  const { base, scene, urls } = await newWork();
  const server = listen(service);
  const leaving = new AbortController();
  script.animate = async (_, call) => {
    leaving.abort();
    await new Promise((_, reject) => call.signal().addEventListener("abort", () => reject(call.signal().reason)));
    throw new Error("unreachable");
  };
  const asked = fetch(`${server.url}${base}/generate/scene/0`, {
    method: "POST",
    headers: { authorization: `Bearer ${ann.accessToken}` },
    signal: leaving.signal,
  });
  await expect(asked).rejects.toThrow();
  while ((await scene()).status !== "image_ready") await Bun.sleep(5);
  expect(await scene()).toEqual({ sceneIndex: 0, status: "image_ready", imageUrl: urls.imageUrl });
  await server.stop();
});

test("what a process that is gone left as being made is ended, or simply made anew", async () => {
  const { base, generate, upload, scene, urls } = await newWork();
  await upload("scene/0/image", png());
  const left = { sceneIndex: 0, status: "generating_video", imageUrl: urls.imageUrl };
  await ask("PUT", base, { generatedScenes: [left, { sceneIndex: 1, status: "generating_image" }] });

  await endAbandonedScenes(service.services, Date.now() - 60_000);
  expect(await scene()).toEqual(left);
  await endAbandonedScenes(service.services, Date.now());
  expect([await scene(), await scene(1)]).toEqual([
    { ...left, status: "image_ready" },
    { sceneIndex: 1, status: "pending" },
  ]);

  await ask("PUT", base, { generatedScenes: [left] });
  expect(await generate()).toMatchObject({ status: 200, body: urls });
});

test("a scene that is being made is not taken for one that was left", async () => {
  const { generate, scene } = await newWork();
  const { draw } = script;
  script.draw = async (...asked) => {
    await endAbandonedScenes(service.services, Date.now());
    expect((await scene()).status).toBe("generating_image");
    return draw(...asked);
  };
  expect((await generate()).status).toBe(200);
});

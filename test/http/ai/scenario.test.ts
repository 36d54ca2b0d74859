import { afterAll, expect, test } from "bun:test";
import { jsonClient, jsonClientWithScopes } from "../../support/json-client.ts";
import { fakeServer, jsonBody } from "../../support/models/fake-server.ts";
import { inSequence, openaiResponse } from "../../support/models/text-responses.ts";
import { rememberedMedia } from "../../support/remembered-media.ts";
import { testService } from "../../support/service.ts";
import { formOf, png, wav } from "../../support/uploads.ts";

let reply = (): Response | Promise<Response> => new Response(null, { status: 500 });
const provider = fakeServer({ "POST /v1/responses": () => reply() });
const service = await testService({ OPENAI_BASE_URL: `${provider.url}/v1` }, undefined, rememberedMedia);
afterAll(async () => {
  await Promise.all([service.close(), provider.stop()]);
});

const ann = await service.register();
const api = jsonClient(ann);
const openai = { "x-llm-provider": "openai", "x-api-key": "sk-test" };

type SceneOutput = { duration_seconds: number; image_prompt: string; [key: string]: unknown };
const sceneOutput = (rest: object = {}): SceneOutput => ({
  scene_index: 0,
  duration_seconds: 4,
  image_prompt: "A cup",
  negative_prompt: "",
  video_prompt: "It turns",
  text_overlay: null,
  transition: "cut",
  ...rest,
});
const respondWith =
  (...scenes: readonly object[]) =>
  () =>
    openaiResponse({ text: JSON.stringify({ scenes }) });
const callCount = () => provider.requests.length;
const lastPrompt = () => JSON.stringify(jsonBody(provider.requests.at(-1)).input);

const intent = { mode: "style_transfer", product_name: "Lumora", video_duration: 20, scene_count: 5 };

// biome-ignore lint/suspicious/noExplicitAny: tests assert on response bodies of any shape
const totalSeconds = (scenes: any[]) => scenes.reduce((sum, { duration_seconds }) => sum + duration_seconds, 0);

test("without a provider header the local provider writes the scenario", async () => {
  const { status, body } = await api("POST", "/api/scenario", { intent, styleGuide: { color_palette: ["#0b3d2e"] } });

  expect([status, body.scenes.length, totalSeconds(body.scenes)]).toEqual([200, 5, 20]);
  expect(Object.keys(body.scenes[0])).toEqual([
    ...["scene_index", "duration_seconds", "image_prompt", "negative_prompt", "video_prompt"],
    ...["text_overlay", "voice_text", "transition"],
  ]);
});

test("only the mode is required, null counts as absent, and unknown keys are ignored", async () => {
  const body = { intent: { mode: "content_remix", product_name: null, video_duration: null, mood: 1 }, analysis: null };

  expect((await api("POST", "/api/scenario", body)).status).toBe(200);
});

test.each([
  ["intent", {}],
  ["intent.mode", { intent: { mode: "remake" } }],
  ["intent.scene_count", { intent: { ...intent, scene_count: 101 } }],
  ["intent.scene_count", { intent: { ...intent, scene_count: 0 } }],
  ["intent.video_duration", { intent: { ...intent, video_duration: 0 } }],
  ["intent.video_duration", { intent: { ...intent, video_duration: 3601 } }],
  ["analysis", { intent, analysis: "short" }],
])("an invalid %s is rejected and named", async (path, sent) => {
  const { status, body } = await api("POST", "/api/scenario", sent);

  expect([status, body.code, body.details[0].path]).toEqual([400, "validation_error", path]);
});

test("a model's scenario is normalised to the requested count and duration with one call", async () => {
  reply = respondWith(
    sceneOutput({ duration_seconds: 3 }),
    sceneOutput({ scene_index: 7, duration_seconds: 9, transition: "fade" }),
  );
  const before = callCount();
  const { status, body } = await api("POST", "/api/scenario", { intent, knowledge: "Made in Turin." }, openai);

  expect([status, body.scenes.length, totalSeconds(body.scenes), callCount() - before]).toEqual([200, 5, 20, 1]);
  expect(body.scenes.map(({ scene_index }: { scene_index: number }) => scene_index)).toEqual([0, 1, 2, 3, 4]);
  expect(lastPrompt()).toContain("Made in Turin.");
});

test("a scene without a text has no text_overlay, in the response and in the work", async () => {
  reply = respondWith(sceneOutput(), sceneOutput({ scene_index: 1, text_overlay: "Now" }));
  const { body } = await api("POST", "/api/scenario", { intent: { mode: "style_transfer" } }, openai);
  const path = await newWork({}, {});
  const written = await api("POST", `${path}/scenario`, undefined, openai);
  const saved = await api("GET", path);

  for (const { scenes } of [body, written.body, saved.body]) {
    expect(scenes.map((scene: object) => "text_overlay" in scene)).toEqual([false, true]);
  }
});

test("a scenario without scenes is requested once more", async () => {
  reply = inSequence(respondWith(), respondWith(sceneOutput()));
  const before = callCount();
  const { status } = await api("POST", "/api/scenario", { intent }, openai);

  expect([status, callCount() - before]).toEqual([200, 2]);
});

test("a scenario of blank scenes is a bad response", async () => {
  reply = respondWith(sceneOutput({ image_prompt: " ", video_prompt: "" }));
  const { status, body } = await api("POST", "/api/scenario", { intent }, openai);

  expect([status, body.code]).toEqual([502, "provider_bad_response"]);
});

test("a missing key and an unknown provider are rejected before any call", async () => {
  const before = callCount();
  const { "x-api-key": _, ...keyless } = openai;
  const responses = [
    await api("POST", "/api/scenario", { intent }, keyless),
    await api("POST", "/api/scenario", { intent }, { "x-llm-provider": "nobody" }),
  ];

  expect(responses.map(({ status, body }) => [status, body.code])).toEqual([
    [400, "provider_key_required"],
    [400, "unknown_provider"],
  ]);
  expect(callCount()).toBe(before);
});

test("a retry with the same Idempotency-Key calls the provider once", async () => {
  reply = respondWith(sceneOutput());
  const before = callCount();
  const headers = { ...openai, "idempotency-key": "scenario-1" };
  const first = await api("POST", "/api/scenario", { intent }, headers);
  const second = await api("POST", "/api/scenario", { intent }, headers);

  expect(second.body).toEqual(first.body);
  expect(callCount() - before).toBe(1);
});

async function newWork(project: object, work: object) {
  const { id: projectId } = (await api("POST", "/api/projects", { name: "P", ...project })).body;
  const path = `/api/projects/${projectId}/works`;
  const { id } = (await api("POST", path, work)).body;
  return `${path}/${id}`;
}

test("a work's scenario is written from its own fields and saved", async () => {
  const path = await newWork({}, { productName: "Nord Coffee", videoDuration: 12, sceneCount: 3, language: "de" });
  const { status, body } = await api("POST", `${path}/scenario`);
  const { scenes, currentStep } = (await api("GET", path)).body;

  expect([status, body.scenes.length, totalSeconds(body.scenes)]).toEqual([200, 3, 12]);
  expect(body.scenes[2].text_overlay).toBe("Jetzt Nord Coffee entdecken.");
  expect(scenes).toEqual(body.scenes);
  expect(currentStep).toBe(0);
});

test("a model gets the texts of the project and the work", async () => {
  reply = respondWith(sceneOutput());
  const project = { knowledge: "Made in Turin.", styleGuide: { tone: "dry wit" }, systemPrompt: "You are Fellini." };
  const path = await newWork(project, { productDescription: "A lamp.", analysis: { overall_tone: "foggy" } });
  await api("POST", `${path}/scenario`, undefined, openai);

  for (const text of ["Made in Turin.", "dry wit", "You are Fellini.", "A lamp.", "foggy"]) {
    expect(lastPrompt()).toContain(text);
  }
});

/** A work in the mode "direct" with these assets selected, in this order. */
async function directWork(fields: object, ...names: readonly string[]) {
  const { body: project } = await api("POST", "/api/projects", { name: "P" });
  const base = `/api/projects/${project.id}`;
  const selectedAssetIds: string[] = [];
  for (const name of names) {
    const form = formOf({ file: name.endsWith(".wav") ? wav() : png(), name, description: `What\n${name} shows` });
    const uploaded = await ann.request(`${base}/assets`, { method: "POST", body: form });
    selectedAssetIds.push((await uploaded.json()).id);
  }
  const work = { assetUsageMode: "direct", selectedAssetIds, ...fields };
  return `${base}/works/${(await api("POST", `${base}/works`, work)).body.id}`;
}

test("a direct work without a scene count gets a scene for each asset", async () => {
  const base = await directWork({}, "one", "two", "three");
  expect((await api("POST", `${base}/scenario`)).body.scenes.length).toBe(3);
  reply = respondWith(sceneOutput());
  expect((await api("POST", `${base}/scenario`, undefined, openai)).body.scenes.length).toBe(3);
  expect(lastPrompt()).toContain("scene_count: 3");

  const counted = await directWork({ sceneCount: 2 }, "one", "two", "three");
  expect((await api("POST", `${counted}/scenario`)).body.scenes.length).toBe(2);
  const many = await directWork({ selectedAssetIds: Array(101).fill("asset_1") });
  expect((await api("POST", `${many}/scenario`)).body.scenes.length).toBe(100);
});

test("a model is told what each scene of a direct work shows", async () => {
  reply = respondWith(sceneOutput());
  const base = await directWork({ sceneCount: 4 }, "cup", "song.wav", "jug");
  await api("POST", `${base}/scenario`, undefined, openai);

  const prompt = lastPrompt();
  const lines = [
    "- scene_index 0: cup (image): What cup shows",
    "- scene_index 2: jug (image): What jug shows",
    "- scene_index 3: cup (image): What cup shows",
  ];
  expect(prompt).toContain(JSON.stringify(lines.join("\n")).slice(1, -1));
  expect(prompt).toContain("Each scene shows its own picture or clip");

  await api("PUT", base, { assetUsageMode: "reference", sceneCount: null });
  await api("POST", `${base}/scenario`, undefined, openai);
  expect(lastPrompt()).toContain(JSON.stringify("- jug (image): What jug shows").slice(1, -1));
  expect(lastPrompt()).not.toContain("scene_index 0: cup");
});

test("a work with more scenes than a scenario may have is rejected", async () => {
  const path = await newWork({}, { sceneCount: 101 });
  const { status, body } = await api("POST", `${path}/scenario`);

  expect([status, body.details[0].path]).toEqual([400, "sceneCount"]);
});

test("a failed scenario leaves the stored one unchanged", async () => {
  const path = await newWork({}, { sceneCount: 2 });
  const { scenes } = (await api("POST", `${path}/scenario`)).body;
  reply = () => new Response("{}", { status: 400 });
  const failed = await api("POST", `${path}/scenario`, undefined, openai);

  expect(failed.status).toBe(422);
  expect((await api("GET", path)).body.scenes).toEqual(scenes);
});

test("a work's scenario requires works:write, and another user's work is 404", async () => {
  const path = await newWork({}, {});
  const narrow = await jsonClientWithScopes(service, ann, ["ai:generate"]);
  const bob = jsonClient(await service.register("Bob"));

  expect((await narrow("POST", `${path}/scenario`)).body.required).toEqual(["ai:generate", "works:write"]);
  expect((await bob("POST", `${path}/scenario`)).status).toBe(404);
});

import { afterAll, expect, test } from "bun:test";
import { asking, askingWithScopes } from "../../../helpers/answers.ts";
import { testService } from "../../../helpers/service.ts";
import { jsonOf, standIn } from "../../../helpers/stand-in.ts";
import { inTurn, openaiAnswer } from "../../../helpers/text-answers.ts";

let reply = (): Response | Promise<Response> => new Response(null, { status: 500 });
const provider = standIn({ "POST /v1/responses": () => reply() });
const service = await testService({ OPENAI_BASE_URL: `${provider.url}/v1` });
afterAll(async () => {
  await Promise.all([service.close(), provider.stop()]);
});

const ann = await service.register();
const ask = asking(ann);
const openai = { "x-llm-provider": "openai", "x-api-key": "sk-test" };

type Drafted = { duration_seconds: number; image_prompt: string; [key: string]: unknown };
const drafted = (rest: object = {}): Drafted => ({
  ...{ scene_index: 0, duration_seconds: 4, image_prompt: "A cup", negative_prompt: "", video_prompt: "It turns" },
  ...{ text_overlay: null, transition: "cut", ...rest },
});
const saying =
  (...scenes: readonly object[]) =>
  () =>
    openaiAnswer({ text: JSON.stringify({ scenes }) });
const askedBefore = () => provider.taken.length;
const lastAsked = () => JSON.stringify(jsonOf(provider.taken.at(-1)).input);

const intent = { mode: "style_transfer", product_name: "Lumora", video_duration: 20, scene_count: 5 };

// biome-ignore lint/suspicious/noExplicitAny: a test asserts on whatever came over the wire
const sumOf = (scenes: any[]) => scenes.reduce((sum, { duration_seconds }) => sum + duration_seconds, 0);

test("without any provider named, the local one writes what was asked for", async () => {
  const { status, body } = await ask("POST", "/api/scenario", { intent, styleGuide: { color_palette: ["#0b3d2e"] } });

  expect([status, body.scenes.length, sumOf(body.scenes)]).toEqual([200, 5, 20]);
  expect(Object.keys(body.scenes[0])).toEqual([
    ...["scene_index", "duration_seconds", "image_prompt", "negative_prompt", "video_prompt"],
    ...["text_overlay", "transition"],
  ]);
});

test("only the mode is required; null is as good as nothing, and unknown keys are passed over", async () => {
  const body = { intent: { mode: "content_remix", product_name: null, video_duration: null, mood: 1 }, analysis: null };

  expect((await ask("POST", "/api/scenario", body)).status).toBe(200);
});

test.each([
  ["intent", {}],
  ["intent.mode", { intent: { mode: "remake" } }],
  ["intent.scene_count", { intent: { ...intent, scene_count: 101 } }],
  ["intent.scene_count", { intent: { ...intent, scene_count: 0 } }],
  ["intent.video_duration", { intent: { ...intent, video_duration: 0 } }],
  ["intent.video_duration", { intent: { ...intent, video_duration: 3601 } }],
  ["analysis", { intent, analysis: "short" }],
])("a body with a bad %s is refused and names it", async (path, sent) => {
  const { status, body } = await ask("POST", "/api/scenario", sent);

  expect([status, body.code, body.details[0].path]).toEqual([400, "validation_error", path]);
});

test("a model's scenario is brought in line with what was asked for, at one call", async () => {
  reply = saying(
    drafted({ duration_seconds: 3 }),
    drafted({ scene_index: 7, duration_seconds: 9, transition: "fade" }),
  );
  const before = askedBefore();
  const { status, body } = await ask("POST", "/api/scenario", { intent, knowledge: "Made in Turin." }, openai);

  expect([status, body.scenes.length, sumOf(body.scenes), askedBefore() - before]).toEqual([200, 5, 20, 1]);
  expect(body.scenes.map(({ scene_index }: { scene_index: number }) => scene_index)).toEqual([0, 1, 2, 3, 4]);
  expect(lastAsked()).toContain("Made in Turin.");
});

test("a scenario without a scene is asked for once more", async () => {
  reply = inTurn(saying(), saying(drafted()));
  const before = askedBefore();
  const { status } = await ask("POST", "/api/scenario", { intent }, openai);

  expect([status, askedBefore() - before]).toEqual([200, 2]);
});

test("scenes that say nothing are no answer", async () => {
  reply = saying(drafted({ image_prompt: " ", video_prompt: "" }));
  const { status, body } = await ask("POST", "/api/scenario", { intent }, openai);

  expect([status, body.code]).toEqual([502, "provider_bad_response"]);
});

test("a caller without a key, or with a provider that nobody knows, pays for nothing", async () => {
  const before = askedBefore();
  const { "x-api-key": _, ...keyless } = openai;
  const answers = [
    await ask("POST", "/api/scenario", { intent }, keyless),
    await ask("POST", "/api/scenario", { intent }, { "x-llm-provider": "nobody" }),
  ];

  expect(answers.map(({ status, body }) => [status, body.code])).toEqual([
    [400, "provider_key_required"],
    [400, "unknown_provider"],
  ]);
  expect(askedBefore()).toBe(before);
});

test("the same Idempotency-Key pays once", async () => {
  reply = saying(drafted());
  const before = askedBefore();
  const headers = { ...openai, "idempotency-key": "scenario-1" };
  const [first, second] = [
    await ask("POST", "/api/scenario", { intent }, headers),
    await ask("POST", "/api/scenario", { intent }, headers),
  ];

  expect(second.body).toEqual(first.body);
  expect(askedBefore() - before).toBe(1);
});

async function newWork(project: object, work: object) {
  const { id: projectId } = (await ask("POST", "/api/projects", { name: "P", ...project })).body;
  const path = `/api/projects/${projectId}/works`;
  const { id } = (await ask("POST", path, work)).body;
  return `${path}/${id}`;
}

test("a work's scenario is written from its own fields and saved", async () => {
  const path = await newWork({}, { productName: "Nord Coffee", videoDuration: 12, sceneCount: 3, language: "de" });
  const { status, body } = await ask("POST", `${path}/scenario`);
  const { scenes, currentStep } = (await ask("GET", path)).body;

  expect([status, body.scenes.length, sumOf(body.scenes)]).toEqual([200, 3, 12]);
  expect(body.scenes[2].text_overlay).toBe("Jetzt Nord Coffee entdecken.");
  expect(scenes).toEqual(body.scenes);
  expect(currentStep).toBe(0);
});

test("a model is told what the project and the work know", async () => {
  reply = saying(drafted());
  const project = { knowledge: "Made in Turin.", styleGuide: { tone: "dry wit" }, systemPrompt: "You are Fellini." };
  const path = await newWork(project, { productDescription: "A lamp.", analysis: { overall_tone: "foggy" } });
  await ask("POST", `${path}/scenario`, undefined, openai);

  for (const told of ["Made in Turin.", "dry wit", "You are Fellini.", "A lamp.", "foggy"]) {
    expect(lastAsked()).toContain(told);
  }
});

test("a work that was set longer than can be written is told so", async () => {
  const path = await newWork({}, { sceneCount: 101 });
  const { status, body } = await ask("POST", `${path}/scenario`);

  expect([status, body.details[0].path]).toEqual([400, "sceneCount"]);
});

test("a failed scenario leaves the saved one alone", async () => {
  const path = await newWork({}, { sceneCount: 2 });
  const { scenes } = (await ask("POST", `${path}/scenario`)).body;
  reply = () => new Response("{}", { status: 400 });
  const failed = await ask("POST", `${path}/scenario`, undefined, openai);

  expect(failed.status).toBe(422);
  expect((await ask("GET", path)).body.scenes).toEqual(scenes);
});

test("saving into a work needs leave to write it; a stranger's work is none", async () => {
  const path = await newWork({}, {});
  const narrow = await askingWithScopes(service, ann, ["ai:generate"]);
  const bob = asking(await service.register("Bob"));

  expect((await narrow("POST", `${path}/scenario`)).body.required).toEqual(["ai:generate", "works:write"]);
  expect((await bob("POST", `${path}/scenario`)).status).toBe(404);
});

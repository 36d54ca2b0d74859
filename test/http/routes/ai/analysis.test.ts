import { afterAll, beforeAll, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { asking } from "../../../helpers/answers.ts";
import { temporaryFolder } from "../../../helpers/ffmpeg.ts";
import { draw } from "../../../helpers/media.ts";
import { testService } from "../../../helpers/service.ts";
import { jsonOf, standIn } from "../../../helpers/stand-in.ts";
import { openaiAnswer } from "../../../helpers/text-answers.ts";
import { filesOf, formOf, png, wav } from "../../../helpers/uploads.ts";

let reply = (): Response | Promise<Response> => new Response(null, { status: 500 });
const provider = standIn({ "POST /v1/responses": () => reply() });
const service = await testService({ OPENAI_BASE_URL: `${provider.url}/v1` });
const folder = await temporaryFolder();
afterAll(async () => {
  await Promise.all([service.close(), provider.stop(), rm(folder, { recursive: true })]);
});

const ann = await service.register();
const openai = { "x-vision-provider": "openai", "x-api-key": "sk-test" };

let film: File;
let clip: File;

const colored = (color: string, seconds: number) => `color=c=${color}:s=96x54:r=10:d=${seconds}`;

/** Red for a second and a half, then blue for two. */
beforeAll(async () => {
  const drawing = `${colored("red", 1.5)}[a];${colored("blue", 2)}[b];[a][b]concat,format=yuv420p`;
  const drawn = async (name: string, picture: string) =>
    new File([await Bun.file(await draw(join(folder, name), picture)).bytes()], name, { type: "video/mp4" });
  film = await drawn("film.mp4", drawing);
  clip = await drawn("clip.mp4", `${colored("white", 1)},format=yuv420p`);
});

type Headers = Record<string, string>;

async function analyze(fields: Parameters<typeof formOf>[0], headers: Headers = {}) {
  const response = await ann.request("/api/analyze", { method: "POST", body: formOf(fields), headers });
  return { status: response.status, body: await response.json() };
}

const described = (descriptions: readonly string[], rest: object = {}) => ({
  ...{ overall_tone: "bold", has_text_overlay: false },
  scenes: descriptions.map((description) => ({
    ...{ description, transition: null, text_overlay: null, camera_movement: "static", ...rest },
  })),
});
const saying = (answer: object) => () => openaiAnswer({ text: JSON.stringify(answer) });

/** The pictures and the words of the last question. */
function lastAsked() {
  const { content } = jsonOf(provider.taken.at(-1)).input.at(-1);
  const images = content.filter(({ type }: { type: string }) => type === "input_image");
  return { images, text: JSON.stringify(jsonOf(provider.taken.at(-1)).input) };
}

test("without any provider named, the film is measured and told by its measurements", async () => {
  const filesBefore = (await filesOf(service)).length;
  const { status, body } = await analyze({ video: film });

  expect(status).toBe(200);
  expect(body).toMatchObject({ scene_count: 2, has_text_overlay: false });
  expect(Object.keys(body)).toEqual([
    ...["scene_count", "overall_tone", "color_palette", "tempo", "has_text_overlay", "scenes"],
  ]);
  expect(body.scenes[0]).toEqual({
    ...{ index: 1, duration_seconds: 1.5, description: expect.stringContaining("mostly red") },
    ...{ transition: null, text_overlay: null, camera_movement: "static" },
  });
  expect(body.scenes[1]).toMatchObject({ index: 2, duration_seconds: 2 });
  expect((await filesOf(service)).length).toBe(filesBefore);
});

test("a model is shown pictures of every scene and told what was measured; its words stand on the measured scenes", async () => {
  reply = saying(described(["A red wall", "A blue wall"], { text_overlay: "SALE" }));
  const { status, body } = await analyze({ video: film, mode: "content_remix" }, openai);
  const { images, text } = lastAsked();

  expect([status, body.overall_tone, body.has_text_overlay]).toEqual([200, "bold", true]);
  expect(body.scenes.map(({ description }: { description: string }) => description)).toEqual([
    "A red wall",
    "A blue wall",
  ]);
  expect(images.length).toBe(3);
  expect(text).toContain("mode: content_remix");
  expect(text).toContain("scene_count: 2");
});

test("a caller's analyzer prompt takes the place of the built-in one", async () => {
  reply = saying(described(["a", "b"]));
  await analyze({ video: film, analyzerPrompt: "Look at hats only." }, openai);
  expect(lastAsked().text).toContain("Look at hats only.");
  expect(lastAsked().text).not.toContain("You are a film director");

  await analyze({ video: film, analyzerPrompt: "", mode: "" }, openai);
  expect(lastAsked().text).toContain("You are a film director");
});

test.each([
  ["no scenes at all", []],
  ["too many", ["a", "b", "c"]],
  ["words to fight with", ["<script>\u0000".padEnd(5000, "x"), " "]],
])("a model that tells of %s changes nothing of what was measured", async (_, descriptions) => {
  reply = saying(described(descriptions));
  const { status, body } = await analyze({ video: film }, openai);

  expect([status, body.scene_count]).toEqual([200, 2]);
  expect(body.scenes.map(({ duration_seconds }: { duration_seconds: number }) => duration_seconds)).toEqual([1.5, 2]);
  for (const { description } of body.scenes) {
    expect(description.length).toBeGreaterThan(0);
    expect(description.length).toBeLessThanOrEqual(1500);
    expect(description).not.toContain("\u0000");
  }
});

test("a missing key is told before the upload is read", async () => {
  const before = provider.taken.length;
  const unread = new ReadableStream({ pull: () => Promise.reject(new Error("somebody read the body")) });
  const response = await ann.request("/api/analyze", {
    method: "POST",
    body: unread,
    headers: { "x-vision-provider": "openai", "content-type": "multipart/form-data; boundary=x" },
  });

  expect([response.status, (await response.json()).code]).toEqual([400, "provider_key_required"]);
  expect(provider.taken.length).toBe(before);
});

test("what is no film, or comes without one, is refused", async () => {
  const answers = [
    await analyze({ video: png() }),
    await analyze({ video: wav() }),
    await analyze({ mode: "style_transfer" }),
    await analyze({ video: film, mode: "remake" }),
  ];

  expect(answers.map(({ status, body }) => [status, body.code])).toEqual([
    [415, "unsupported_media_type"],
    [415, "unsupported_media_type"],
    [400, "validation_error"],
    [400, "validation_error"],
  ]);
});

test("the same Idempotency-Key pays once", async () => {
  reply = saying(described(["a", "b"]));
  const before = provider.taken.length;
  const headers = { ...openai, "idempotency-key": "film-1" };
  const [first, second] = [await analyze({ video: film }, headers), await analyze({ video: film }, headers)];

  expect(second).toEqual(first);
  expect(provider.taken.length - before).toBe(1);
});

const ask = asking(ann);
const project = (await ask("POST", "/api/projects", { name: "P" })).body;
const assets = `/api/projects/${project.id}/assets`;

async function addAsset(file: File): Promise<string> {
  const response = await ann.request(assets, { method: "POST", body: formOf({ file, name: `My ${file.name}` }) });
  return (await response.json()).id;
}

test("an asset is described by its measurements, and keeps the description", async () => {
  const [picture, video] = [await addAsset(png(40, 20)), await addAsset(clip)];
  const { status, body } = await ask("POST", `${assets}/${picture}/analyze`);

  expect([status, body.id]).toEqual([200, picture]);
  expect(body.description).toBe("A wide image, 40 × 20. Very dark picture, mostly black.");
  expect((await ask("GET", `${assets}/${picture}/meta`)).body.description).toBe(body.description);
  expect((await ask("POST", `${assets}/${video}/analyze`)).body.description).toStartWith(
    "A wide video, 96 × 54, 1 s in 1 scene.",
  );
});

test("a model is shown the picture itself", async () => {
  reply = saying({ description: " A black\nfield. " });
  const picture = await addAsset(png(40, 20));
  const { body } = await ask("POST", `${assets}/${picture}/analyze`, undefined, openai);

  expect(body.description).toBe("A black field.");
  expect(lastAsked().images.length).toBe(1);
  expect(lastAsked().images[0].image_url).toStartWith("data:image/png;base64,");
  expect(lastAsked().text).toContain("My pixel.png");
});

test("sound and fonts cannot be looked at", async () => {
  const sound = await addAsset(wav());
  const [one, batch] = [
    await ask("POST", `${assets}/${sound}/analyze`),
    await ask("POST", `${assets}/analyze-batch`, { assetIds: [await addAsset(png()), sound] }),
  ];

  expect([one.status, one.body.code]).toEqual([422, "asset_wrong_type"]);
  expect([batch.status, batch.body.code]).toEqual([422, "asset_wrong_type"]);
});

test("many are described at once, each named once, in the order asked for", async () => {
  reply = saying({ description: "A field." });
  const [one, other] = [await addAsset(png()), await addAsset(png())];
  const before = provider.taken.length;
  const { status, body } = await ask("POST", `${assets}/analyze-batch`, { assetIds: [other, one, other] }, openai);

  expect([status, body.assets.map(({ id }: { id: string }) => id)]).toEqual([200, [other, one]]);
  expect(provider.taken.length - before).toBe(2);
});

test("of a batch that fails, what was done is kept, and nothing more is begun", async () => {
  const ids = await Promise.all(Array.from({ length: 7 }, () => addAsset(png())));
  let count = 0;
  reply = () => (++count === 2 ? new Response("{}", { status: 400 }) : saying({ description: "Kept." })());
  const { status, body } = await ask("POST", `${assets}/analyze-batch`, { assetIds: ids }, openai);
  const kept = (await ask("GET", assets)).body.assets.filter((asset: { id: string }) => ids.includes(asset.id));
  const described = kept.filter(({ description }: { description?: string }) => description === "Kept.").length;

  expect([status, body.code]).toEqual([422, "provider_rejected_request"]);
  expect(count).toBeLessThan(7);
  expect(described).toBe(count - 1);
});

test("an asset that is not there is missed before anything is paid", async () => {
  const before = provider.taken.length;
  const there = await addAsset(png());
  const { status, body } = await ask("POST", `${assets}/analyze-batch`, { assetIds: [there, "asset_x"] }, openai);

  expect([status, body.code]).toEqual([422, "asset_missing"]);
  expect((await ask("POST", `${assets}/asset_x/analyze`, undefined, openai)).status).toBe(404);
  expect((await ask("POST", `${assets}/analyze-batch`, { assetIds: [] })).status).toBe(400);
  expect(provider.taken.length).toBe(before);
});

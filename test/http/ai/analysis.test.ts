import { afterAll, beforeAll, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { jsonClient } from "../../support/json-client.ts";
import { draw } from "../../support/media/draw-media.ts";
import { temporaryFolder } from "../../support/media/ffmpeg.ts";
import { fakeServer, jsonBody } from "../../support/models/fake-server.ts";
import { openaiResponse } from "../../support/models/text-responses.ts";
import { rememberedMedia } from "../../support/remembered-media.ts";
import { testService } from "../../support/service.ts";
import { filesOf, formOf, png, wav } from "../../support/uploads.ts";

let reply = (): Response | Promise<Response> => new Response(null, { status: 500 });
const provider = fakeServer({ "POST /v1/responses": () => reply() });
const service = await testService({ OPENAI_BASE_URL: `${provider.url}/v1` }, undefined, rememberedMedia);
const folder = await temporaryFolder();
afterAll(async () => {
  await Promise.all([service.close(), provider.stop(), rm(folder, { recursive: true })]);
});

const ann = await service.register();
const openai = { "x-vision-provider": "openai", "x-api-key": "sk-test" };

let video: File;
let clip: File;

const solidColor = (color: string, seconds: number) => `color=c=${color}:s=96x54:r=10:d=${seconds}`;

// `video`: 1.5 seconds of red, then 2 seconds of blue
beforeAll(async () => {
  const source = `${solidColor("red", 1.5)}[a];${solidColor("blue", 2)}[b];[a][b]concat,format=yuv420p`;
  const encoded = async (name: string, filter: string) =>
    new File([await Bun.file(await draw(join(folder, name), filter)).bytes()], name, { type: "video/mp4" });
  video = await encoded("film.mp4", source);
  clip = await encoded("clip.mp4", `${solidColor("white", 1)},format=yuv420p`);
});

type Headers = Record<string, string>;

async function analyze(fields: Parameters<typeof formOf>[0], headers: Headers = {}) {
  const response = await ann.request("/api/analyze", { method: "POST", body: formOf(fields), headers });
  return { status: response.status, body: await response.json() };
}

const descriptionsOf = (descriptions: readonly string[], rest: object = {}) => ({
  overall_tone: "bold",
  has_text_overlay: false,
  scenes: descriptions.map((description) => ({
    description,
    transition: null,
    text_overlay: null,
    camera_movement: "static",
    ...rest,
  })),
});
const respondWith = (output: object) => () => openaiResponse({ text: JSON.stringify(output) });

/** The images and the text of the last request to the provider. */
function lastPrompt() {
  const { content } = jsonBody(provider.requests.at(-1)).input.at(-1);
  const images = content.filter(({ type }: { type: string }) => type === "input_image");
  return { images, text: JSON.stringify(jsonBody(provider.requests.at(-1)).input) };
}

test("without a provider header the video is described by its measurements", async () => {
  const filesBefore = (await filesOf(service)).length;
  const { status, body } = await analyze({ video });

  expect(status).toBe(200);
  expect(body).toMatchObject({ scene_count: 2, has_text_overlay: false });
  expect(Object.keys(body)).toEqual([
    ...["scene_count", "overall_tone", "color_palette", "tempo", "has_text_overlay", "scenes"],
  ]);
  expect(body.scenes[0]).toEqual({
    index: 1,
    duration_seconds: 1.5,
    description: expect.stringContaining("mostly red"),
    transition: "cut",
    text_overlay: null,
    camera_movement: "static",
  });
  expect(body.scenes[1]).toMatchObject({ index: 2, duration_seconds: 2 });
  expect((await filesOf(service)).length).toBe(filesBefore);
});

test("a model gets frames of every scene and the measurements, and its texts describe the measured scenes", async () => {
  reply = respondWith(descriptionsOf(["A red wall", "A blue wall"], { text_overlay: "SALE" }));
  const { status, body } = await analyze({ video, mode: "content_remix" }, openai);
  const { images, text } = lastPrompt();

  expect([status, body.overall_tone, body.has_text_overlay]).toEqual([200, "bold", true]);
  expect(body.scenes.map(({ description }: { description: string }) => description)).toEqual([
    "A red wall",
    "A blue wall",
  ]);
  expect(images.length).toBe(3);
  expect(text).toContain("mode: content_remix");
  expect(text).toContain("scene_count: 2");
});

test("the caller's analyzer prompt replaces the built-in one", async () => {
  reply = respondWith(descriptionsOf(["a", "b"]));
  await analyze({ video, analyzerPrompt: "Look at hats only." }, openai);
  expect(lastPrompt().text).toContain("Look at hats only.");
  expect(lastPrompt().text).not.toContain("You are a film director");

  await analyze({ video, analyzerPrompt: "", mode: "" }, openai);
  expect(lastPrompt().text).toContain("You are a film director");
});

test.each([
  ["no scenes", []],
  ["too many scenes", ["a", "b", "c"]],
  ["unsafe and overlong text", ["<script>\u0000".padEnd(5000, "x"), " "]],
])("a model that returns %s does not change the measurements", async (_, descriptions) => {
  reply = respondWith(descriptionsOf(descriptions));
  const { status, body } = await analyze({ video }, openai);

  expect([status, body.scene_count]).toEqual([200, 2]);
  expect(body.scenes.map(({ duration_seconds }: { duration_seconds: number }) => duration_seconds)).toEqual([1.5, 2]);
  for (const { description } of body.scenes) {
    expect(description.length).toBeGreaterThan(0);
    expect(description.length).toBeLessThanOrEqual(1500);
    expect(description).not.toContain("\u0000");
  }
});

test("a missing key is reported before the upload is read", async () => {
  const before = provider.requests.length;
  const unread = new ReadableStream({ pull: () => Promise.reject(new Error("the body was read")) });
  const response = await ann.request("/api/analyze", {
    method: "POST",
    body: unread,
    headers: { "x-vision-provider": "openai", "content-type": "multipart/form-data; boundary=x" },
  });

  expect([response.status, (await response.json()).code]).toEqual([400, "provider_key_required"]);
  expect(provider.requests.length).toBe(before);
});

test("a file that is not a video, a missing video and a wrong mode are rejected", async () => {
  const responses = [
    await analyze({ video: png() }),
    await analyze({ video: wav() }),
    await analyze({ mode: "style_transfer" }),
    await analyze({ video, mode: "remake" }),
  ];

  expect(responses.map(({ status, body }) => [status, body.code])).toEqual([
    [415, "unsupported_media_type"],
    [415, "unsupported_media_type"],
    [400, "validation_error"],
    [400, "validation_error"],
  ]);
});

test("a retry with the same Idempotency-Key calls the provider once", async () => {
  reply = respondWith(descriptionsOf(["a", "b"]));
  const before = provider.requests.length;
  const headers = { ...openai, "idempotency-key": "film-1" };
  const first = await analyze({ video }, headers);
  const second = await analyze({ video }, headers);

  expect(second).toEqual(first);
  expect(provider.requests.length - before).toBe(1);
});

const api = jsonClient(ann);
const project = (await api("POST", "/api/projects", { name: "P" })).body;
const assets = `/api/projects/${project.id}/assets`;

async function addAsset(file: File): Promise<string> {
  const response = await ann.request(assets, { method: "POST", body: formOf({ file, name: `My ${file.name}` }) });
  return (await response.json()).id;
}

test("an asset is described by its measurements, and the description is stored", async () => {
  const image = await addAsset(png(40, 20));
  const video = await addAsset(clip);
  const { status, body } = await api("POST", `${assets}/${image}/analyze`);

  expect([status, body.id]).toEqual([200, image]);
  expect(body.description).toBe("A wide image, 40 × 20. Very dark picture, mostly black.");
  expect((await api("GET", `${assets}/${image}/meta`)).body.description).toBe(body.description);
  expect((await api("POST", `${assets}/${video}/analyze`)).body.description).toStartWith(
    "A wide video, 96 × 54, 1 s in 1 scene.",
  );
});

test("a model gets the image itself", async () => {
  reply = respondWith({ description: " A black\nfield. " });
  const image = await addAsset(png(40, 20));
  const { body } = await api("POST", `${assets}/${image}/analyze`, undefined, openai);

  expect(body.description).toBe("A black field.");
  expect(lastPrompt().images.length).toBe(1);
  expect(lastPrompt().images[0].image_url).toStartWith("data:image/png;base64,");
  expect(lastPrompt().text).toContain("My pixel.png");
});

test("a sound cannot be analyzed", async () => {
  const sound = await addAsset(wav());
  const one = await api("POST", `${assets}/${sound}/analyze`);
  const batch = await api("POST", `${assets}/analyze-batch`, { assetIds: [await addAsset(png()), sound] });

  expect([one.status, one.body.code]).toEqual([422, "asset_wrong_type"]);
  expect([batch.status, batch.body.code]).toEqual([422, "asset_wrong_type"]);
});

test("a batch describes each asset once, in the order of the request", async () => {
  reply = respondWith({ description: "A field." });
  const one = await addAsset(png());
  const other = await addAsset(png());
  const before = provider.requests.length;
  const { status, body } = await api("POST", `${assets}/analyze-batch`, { assetIds: [other, one, other] }, openai);

  expect([status, body.assets.map(({ id }: { id: string }) => id)]).toEqual([200, [other, one]]);
  expect(provider.requests.length - before).toBe(2);
});

test("a batch that fails stores the finished descriptions and starts no more", async () => {
  const ids = await Promise.all(Array.from({ length: 7 }, () => addAsset(png())));
  let count = 0;
  reply = () => (++count === 2 ? new Response("{}", { status: 400 }) : respondWith({ description: "Kept." })());
  const { status, body } = await api("POST", `${assets}/analyze-batch`, { assetIds: ids }, openai);
  const stored = (await api("GET", assets)).body.assets.filter((asset: { id: string }) => ids.includes(asset.id));
  const described = stored.filter(({ description }: { description?: string }) => description === "Kept.").length;

  expect([status, body.code]).toEqual([422, "provider_rejected_request"]);
  expect(count).toBeLessThan(7);
  expect(described).toBe(count - 1);
});

test("a missing asset is reported before the provider is called", async () => {
  const before = provider.requests.length;
  const existing = await addAsset(png());
  const { status, body } = await api("POST", `${assets}/analyze-batch`, { assetIds: [existing, "asset_x"] }, openai);

  expect([status, body.code]).toEqual([422, "asset_missing"]);
  expect((await api("POST", `${assets}/asset_x/analyze`, undefined, openai)).status).toBe(404);
  expect((await api("POST", `${assets}/analyze-batch`, { assetIds: [] })).status).toBe(400);
  expect(provider.requests.length).toBe(before);
});

/** The picture as an asset of the project. */
async function pictureOf(file: File) {
  return { projectId: project.id, image_url: `${assets}/${await addAsset(file)}` };
}

const match = (body: object, headers: Headers = {}) => api("POST", "/api/analyze/product-match", body, headers);

test("a model compares a picture with those of the product, in one booked call", async () => {
  const referenceAssetIds = [await addAsset(png(40, 20)), await addAsset(png(20, 40))];
  const { projectId, image_url } = await pictureOf(png(30, 30));
  const before = provider.requests.length;
  reply = respondWith({ matches: false, differences: [" The cap is round;\nit should be square. ", ""] });
  const headers = { ...openai, "idempotency-key": "one-match" };
  const body = { image_url, projectId, referenceAssetIds };
  const answers = [await match(body, headers), await match(body, headers)];

  for (const { status, body } of answers) {
    expect([status, body]).toEqual([200, { matches: false, differences: ["The cap is round; it should be square."] }]);
  }
  expect(provider.requests.length - before).toBe(1);
  const { images, text } = lastPrompt();
  expect(images).toHaveLength(3);
  expect(text).toMatch(/Product, picture 1:.*Product, picture 2:.*New picture:/s);
  const { body: usage } = await api("GET", "/api/usage");
  expect(JSON.stringify(usage)).toContain('"purpose":"match"');

  reply = respondWith({ matches: true, differences: ["None."] });
  expect((await match(body, openai)).body).toEqual({ matches: true, differences: [] });
});

test("without a provider the colors of both are compared", async () => {
  const field = async (color: string) =>
    new File(
      [await Bun.file(await draw(join(folder, `${color}.png`), `color=c=${color}:s=64x64:r=1:d=1`)).bytes()],
      "x.png",
    );
  const referenceAssetIds = [await addAsset(await field("red"))];
  const results = [];
  for (const color of ["red", "blue"]) {
    results.push((await match({ ...(await pictureOf(await field(color))), referenceAssetIds })).body);
  }
  expect(results).toEqual([
    { matches: true, differences: [] },
    { matches: false, differences: ["The red of the product is missing."] },
  ]);
});

test("a comparison names what it cannot use before the provider is called", async () => {
  const picture = await pictureOf(png());
  const before = provider.requests.length;
  const codeFor = async (fields: object) => {
    const { status, body } = await match({ ...picture, referenceAssetIds: [await addAsset(png())], ...fields }, openai);
    return [status, body.code, body.details?.[0]?.path];
  };
  expect(await codeFor({ referenceAssetIds: ["asset_x"] })).toEqual([422, "asset_missing", "referenceAssetIds.0"]);
  expect(await codeFor({ referenceAssetIds: [] })).toEqual([400, "validation_error", "referenceAssetIds"]);
  expect(await codeFor({ projectId: "proj_x" })).toEqual([404, "not_found", undefined]);
  expect(await codeFor({ image_url: "http://127.0.0.1/x.png" })).toEqual([422, "url_not_allowed", "image_url"]);
  expect(provider.requests.length).toBe(before);
});

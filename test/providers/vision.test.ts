import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DescribeVideoTask } from "../../src/domain/ai/models.ts";
import type { VideoDescription } from "../../src/domain/ai/output-schemas.ts";
import type { InspectedFile, VideoMetrics } from "../../src/engine/ports.ts";
import type { MediaFacts } from "../../src/engine/timeline/source.ts";
import { googleVision } from "../../src/providers/google/google.ts";
import { openaiVision } from "../../src/providers/openai/row.ts";
import { fakeServer, jsonBody, type Routes } from "../support/models/fake-server.ts";
import { credentialsFor, recordedCall } from "../support/models/model-calls.ts";
import { googleResponse, openaiResponse } from "../support/models/text-responses.ts";

let folder = "";
let server: ReturnType<typeof fakeServer> | undefined;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "reelwright-vision-"));
});
afterEach(() => server?.stop());
afterAll(() => rm(folder, { recursive: true, force: true }));

const description: VideoDescription = {
  overall_tone: "calm",
  has_text_overlay: false,
  scenes: [{ description: "A cup", transition: null, text_overlay: null, camera_movement: null }],
};
const output = { text: JSON.stringify(description) };
const prompt = { system: "You watch videos.", message: "What happens?" };
const image = new Uint8Array([0xff, 0xd8, 0xff, 1, 2, 3]);
const frames = [0.5, 2].map((atSeconds) => ({ atSeconds, bytes: image, mimeType: "image/jpeg" }));

const facts = (mimeType: string, durationSeconds = 12): MediaFacts => ({
  kind: mimeType.startsWith("image") ? "image" : "video",
  container: "mp4",
  mimeType,
  extension: "x",
  durationSeconds,
});

/** A file of this size with different bytes, so that a mix-up would show. */
async function mediaFile(sizeBytes: number, mimeType = "video/mp4"): Promise<InspectedFile> {
  const path = join(folder, `video-${sizeBytes}`);
  const bytes = new Uint8Array(sizeBytes);
  for (let at = 0; at < sizeBytes; at += 1000) bytes[at] = at / 1000;
  await Bun.write(path, bytes);
  return { path, sizeBytes, facts: facts(mimeType) };
}

// safe because an external model reads no metrics
const task = (video: InspectedFile): DescribeVideoTask => ({ prompt, frames, video, metrics: {} as VideoMetrics });

const jpegPart = { inlineData: { mimeType: "image/jpeg", data: image.toBase64() } };

test("OpenAI gets each frame after its time", async () => {
  server = fakeServer({ "POST /v1/responses": () => openaiResponse(output) });
  const model = openaiVision(credentialsFor(`${server.url}/v1`, "gpt-6-luna"));
  expect(model.inputFor(facts("video/mp4"))).toBe("frames");
  const { call, records } = recordedCall();
  expect(await model.describeVideo(task(await mediaFile(10)), call)).toEqual(description);
  const image_url = `data:image/jpeg;base64,${image.toBase64()}`;
  expect(jsonBody(server.requests[0]).input[1].content).toEqual([
    { type: "input_text", text: "What happens?" },
    { type: "input_text", text: "Frame at 0.50 s:" },
    { type: "input_image", image_url },
    { type: "input_text", text: "Frame at 2.00 s:" },
    { type: "input_image", image_url },
  ]);
  expect(records).toMatchObject([{ purpose: "analyze", outcome: "ok" }]);
});

test.each([
  ["image/png", ["What?", jpegPart]],
  ["video/matroska", ["What?", "Frame at 0.50 s:", jpegPart]],
])("both providers get the image or the frames of an asset of the type %s", async (mimeType, parts) => {
  const seen = { description: "A cup.", subject_boxes: [{ at_seconds: 0.5, box_2d: [100, 0, 900, 250] }] };
  const assetOutput = { text: JSON.stringify(seen) };
  server = fakeServer({
    "POST /v1/responses": () => openaiResponse(assetOutput),
    "POST /v1beta/models/:call": () => googleResponse(assetOutput),
  });
  const asset = {
    prompt: { system: "s", message: "What?" },
    file: await mediaFile(10, mimeType),
    frames: frames.slice(0, 1),
  };
  const openai = openaiVision(credentialsFor(`${server.url}/v1`, "gpt-6-luna"));
  const google = googleVision(credentialsFor(`${server.url}/v1beta`, "a-model"));
  const { call, records } = recordedCall();
  expect(await openai.describeAsset(asset, call)).toEqual(seen);
  expect(await google.describeAsset(asset, call)).toEqual(seen);
  expect(jsonBody(server.requests[0]).input[1].content).toHaveLength(parts.length);
  const expectedParts = parts.map((part) => (typeof part === "string" ? { text: part } : part));
  expect(jsonBody(server.requests[1]).contents[0].parts).toEqual(expectedParts);
  const { schema } = jsonBody(server.requests[0]).text.format;
  for (const asked of [schema, jsonBody(server.requests[1]).generationConfig.responseJsonSchema]) {
    expect(asked.required).toEqual(["description", "subject_boxes"]);
    expect(asked.properties.subject_boxes.items).toMatchObject({
      required: ["at_seconds", "box_2d"],
      properties: { box_2d: { type: "array", items: { type: "number" } } },
    });
  }
  expect(records).toMatchObject([{ purpose: "describe" }, { purpose: "describe" }]);
});

test.each([
  [undefined, 0],
  [null, 0],
  ["[0, 0, 1000, 1000]", 0],
  [{ at_seconds: 0, box_2d: [0, 0, 1, 1] }, 0],
  [["a box", { box_2d: [0, 0, 1, 1] }, { at_seconds: "0:01", box_2d: [] }, { at_seconds: 1, box_2d: [1, "2"] }], 0],
  [[null, { at_seconds: 1, box_2d: [0, 0, 1, 1], label: "cup" }], 1],
])("the boxes %j of a model fail no description, and cost no second request", async (subject_boxes, kept) => {
  const text = JSON.stringify({ description: "A cup.", subject_boxes });
  server = fakeServer({ "POST /v1/responses": () => openaiResponse({ text }) });
  const model = openaiVision(credentialsFor(`${server.url}/v1`, "gpt-6-luna"));
  const asset = { prompt, file: await mediaFile(10), frames };
  const described = await model.describeAsset(asset, recordedCall().call);
  expect([described.description, described.subject_boxes.length]).toEqual(["A cup.", kept]);
  expect(server.requests).toHaveLength(1);
});

const google = (routes: Routes = {}) => {
  server = fakeServer({ "POST /v1beta/models/:call": () => googleResponse(output), ...routes });
  return { model: googleVision(credentialsFor(`${server.url}/v1beta`, "a-model")), server };
};

test("Google gets a small video inline, with more frames per second for a short one", async () => {
  const { model, server } = google();
  const video = await mediaFile(3000);
  expect(model.inputFor(video.facts)).toBe("video");
  expect(await model.describeVideo({ ...task(video), frames: [] }, recordedCall().call)).toEqual(description);
  const data = (await Bun.file(video.path).bytes()).toBase64();
  const videoPart = { inlineData: { mimeType: "video/mp4", data }, videoMetadata: { fps: 5 } };
  expect(jsonBody(server.requests[0]).contents[0].parts).toEqual([{ text: "What happens?" }, videoPart]);
});

test.each([
  ["video/quicktime", "video"],
  ["video/webm", "video"],
  ["video/matroska", "frames"],
  ["video/3gpp2", "frames"],
] as const)("for a video of the type %s Google takes %s input", (mimeType, input) => {
  expect(google().model.inputFor(facts(mimeType))).toBe(input);
});

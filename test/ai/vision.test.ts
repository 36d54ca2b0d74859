import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { googleVision } from "../../src/ai/google/google.ts";
import { openaiVision } from "../../src/ai/openai/openai.ts";
import type { FilmTask, SeenFile } from "../../src/domain/ai/models.ts";
import type { FilmDescription } from "../../src/domain/ai/output-schemas.ts";
import type { VideoMetrics } from "../../src/domain/ai/video-metrics.ts";
import type { MediaFacts } from "../../src/timeline/source.ts";
import { accessTo, notedCall } from "../helpers/model-calls.ts";
import { jsonOf, standIn } from "../helpers/stand-in.ts";
import { googleAnswer, openaiAnswer } from "../helpers/text-answers.ts";

let folder = "";
let server: ReturnType<typeof standIn> | undefined;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "reelwright-vision-"));
});
afterEach(() => server?.stop());
afterAll(() => rm(folder, { recursive: true, force: true }));

const description: FilmDescription = {
  overall_tone: "calm",
  has_text_overlay: false,
  scenes: [{ description: "A cup", transition: null, text_overlay: null, camera_movement: null }],
};
const described = { text: JSON.stringify(description) };
const prompt = { system: "You watch films.", message: "What happens?" };
const picture = new Uint8Array([0xff, 0xd8, 0xff, 1, 2, 3]);
const frames = [0.5, 2].map((atSeconds) => ({ atSeconds, bytes: picture, mimeType: "image/jpeg" }));

const facts = (mimeType: string, durationSeconds = 12): MediaFacts => ({
  ...{ kind: mimeType.startsWith("image") ? "image" : "video", container: "mp4", mimeType, extension: "x" },
  durationSeconds,
});

/** A file of this size, marked every few bytes. */
async function film(sizeBytes: number, mimeType = "video/mp4"): Promise<SeenFile> {
  const path = join(folder, `film-${sizeBytes}`);
  const bytes = new Uint8Array(sizeBytes);
  for (let at = 0; at < sizeBytes; at += 1000) bytes[at] = at / 1000;
  await Bun.write(path, bytes);
  return { path, sizeBytes, facts: facts(mimeType) };
}

// safe because a model outside reads the prompt alone
const task = (seen: SeenFile): FilmTask => ({ prompt, frames, film: seen, measures: {} as VideoMetrics });

const jpegPart = { inlineData: { mimeType: "image/jpeg", data: picture.toBase64() } };

test("OpenAI is shown each frame after its time", async () => {
  server = standIn({ "POST /v1/responses": () => openaiAnswer(described) });
  const model = openaiVision(accessTo(`${server.url}/v1`, "gpt-6-luna"));
  expect(model.sees(facts("video/mp4"))).toBe("frames");
  const { call, noted } = notedCall();
  expect(await model.describeFilm(task(await film(10)), call)).toEqual(description);
  const image_url = `data:image/jpeg;base64,${picture.toBase64()}`;
  expect(jsonOf(server.taken[0]).input[1].content).toEqual([
    { type: "input_text", text: "What happens?" },
    { type: "input_text", text: "Frame at 0.50 s:" },
    { type: "input_image", image_url },
    { type: "input_text", text: "Frame at 2.00 s:" },
    { type: "input_image", image_url },
  ]);
  expect(noted).toMatchObject([{ purpose: "analyze", outcome: "ok" }]);
});

test.each([
  ["image/png", ["What?", jpegPart]],
  ["video/matroska", ["What?", "Frame at 0.50 s:", jpegPart]],
])("of an asset of the type %s both are shown the picture or the frames", async (mimeType, parts) => {
  const word = { text: JSON.stringify({ description: "A cup." }) };
  server = standIn({
    "POST /v1/responses": () => openaiAnswer(word),
    "POST /v1beta/models/:call": () => googleAnswer(word),
  });
  const asset = {
    prompt: { system: "s", message: "What?" },
    file: await film(10, mimeType),
    frames: frames.slice(0, 1),
  };
  const openai = openaiVision(accessTo(`${server.url}/v1`, "gpt-6-luna"));
  const google = googleVision(accessTo(`${server.url}/v1beta`, "a-model"));
  const { call, noted } = notedCall();
  expect(await openai.describeAsset(asset, call)).toBe("A cup.");
  expect(await google.describeAsset(asset, call)).toBe("A cup.");
  expect(jsonOf(server.taken[0]).input[1].content).toHaveLength(parts.length);
  const shown = parts.map((part) => (typeof part === "string" ? { text: part } : part));
  expect(jsonOf(server.taken[1]).contents[0].parts).toEqual(shown);
  expect(noted).toMatchObject([{ purpose: "describe" }, { purpose: "describe" }]);
});

const google = (replies: Parameters<typeof standIn>[0]) => {
  server = standIn({ "POST /v1beta/models/:call": () => googleAnswer(described), ...replies });
  return { model: googleVision(accessTo(`${server.url}/v1beta`, "a-model")), server };
};

test("Google is given a small film itself, and looks closely at a short one", async () => {
  const { model, server } = google({});
  const seen = await film(3000);
  expect(model.sees(seen.facts)).toBe("film");
  expect(await model.describeFilm({ ...task(seen), frames: [] }, notedCall().call)).toEqual(description);
  const data = (await Bun.file(seen.path).bytes()).toBase64();
  const shown = { inlineData: { mimeType: "video/mp4", data }, videoMetadata: { fps: 5 } };
  expect(jsonOf(server.taken[0]).contents[0].parts).toEqual([{ text: "What happens?" }, shown]);
});

test.each([
  ["video/quicktime", "film"],
  ["video/webm", "film"],
  ["video/matroska", "frames"],
  ["video/3gpp2", "frames"],
] as const)("of a film of the type %s Google is given the %s", (mimeType, seen) => {
  expect(google({}).model.sees(facts(mimeType))).toBe(seen);
});

import { afterAll, describe, expect, test } from "bun:test";
import { parseText } from "media-captions";
import { jsonClient } from "../../support/json-client.ts";
import { controlledRenderer } from "../../support/media/controlled-renderer.ts";
import { testService } from "../../support/service.ts";
import { formOf, png, wav } from "../../support/uploads.ts";
import { newWork, requireJson } from "../../support/work-videos.ts";

const { renderer, next: nextRendering } = controlledRenderer();
const service = await testService({}, undefined, (services) => ({ renderer: renderer(services) }));
const ann = await service.register("Ann");
const bob = await service.register("Bob");
const api = jsonClient(ann);

afterAll(() => service.close());

const scene = (index: number, texts: object) => ({
  scene_index: index,
  duration_seconds: 2,
  image_prompt: "",
  negative_prompt: "",
  video_prompt: "",
  transition: "cut",
  ...texts,
});

const work = await newWork(ann, {
  name: "Film",
  language: "en",
  scenes: [scene(0, { voice_text: "Hello there. You!", text_overlay: "Hi" }), scene(1, { text_overlay: "Goodbye" })],
});
await work.image(0, png(64, 36));
const { projectId, workId } = work;

const voiceUpload = { method: "POST", body: formOf({ file: wav() }) };
const options = { width: 108, height: 192, fps: 10 };
const clips = [
  { sceneIndex: 0, position: 0, end: 2 },
  { sceneIndex: 0, position: 2, end: 3, caption: false },
  { sceneIndex: 0, position: 3, end: 6 },
];
const words = [
  { text: "One", start: 0.5, end: 0.9 },
  { text: "two.", start: 0.9, end: 1.2 },
  { text: "hidden", start: 2.2, end: 2.5 },
  { text: "Three", start: 4, end: 6.4 },
  { text: "late", start: 7, end: 8 },
];
const body = { projectId, workId, clips, options };

const make = (captions: object, more: object = {}) => api("POST", "/api/captions", { ...body, captions, ...more });
const pagesOf = (made: Awaited<ReturnType<typeof make>>) =>
  made.body.pages.map(({ start, end, lines }: { start: number; end: number; lines: { text: string }[] }) => [
    start,
    end,
    lines.map(({ text }) => text).join("/"),
  ]);

describe("POST /api/captions", () => {
  test("returns pages with their words, both files and what is left out", async () => {
    const made = await make({ words });
    expect(pagesOf(made)).toEqual([
      [0.5, 1.2, "One two."],
      [4, 6, "Three"],
    ]);
    expect(made.body.pages[0].lines[0].words[1]).toEqual({ text: "two.", start: 0.9, end: 1.2, glued: false });
    expect(made.body.srt).toStartWith("1\n00:00:00,500 --> 00:00:01,200\nOne two.\n");
    expect(made.body.vtt).toStartWith("WEBVTT\n\n00:00:00.500 --> 00:00:01.200\nOne two.\n");
    expect(made.body).toMatchObject({
      language: "en",
      warnings: [{ path: "captions", code: "overlay_past_end", message: expect.stringContaining("1 word would") }],
    });
  });

  test("spreads the texts of scenes over their clips, whose media may be missing", async () => {
    const scripted = [
      { sceneIndex: 0, position: 0, end: 2 },
      { sceneIndex: 1, position: 2, end: 4 },
      { sceneIndex: 1, position: 4, end: 5, caption: false },
    ];
    const made = await make({}, { clips: scripted });
    expect(pagesOf(made)).toEqual([
      [0, 1.6, "Hello there."],
      [1.6, 2, "You!"],
      [2, 4, "Goodbye"],
    ]);
  });

  test("keeps the times and lines of a caption file", async () => {
    const srt = "1\n00:00:00,200 --> 00:00:01,000\nFirst\nline two\n\n2\n00:00:03,500 --> 00:00:05,000\nlast";
    expect(pagesOf(await make({ srt }))).toEqual([
      [0.2, 1, "First/line two"],
      [3.5, 5, "last"],
    ]);
    const vtt = "WEBVTT\n\n00:00.200 --> 00:01.000\nFirst <00:00:00.500>word";
    const made = await make({ vtt, style: "karaoke" });
    expect(made.body.vtt).toContain("First <00:00:00.500>word");
  });

  test("makes the pages of the named target", async () => {
    const targets = { ...options, targets: ["9:16", "16:9"] };
    const text = [{ text: "A sentence of a good many words that fill lines", start: 0, end: 2 }];
    const [tall, wide] = await Promise.all([
      make({ words: text }, { options: targets }),
      make({ words: text }, { options: targets, target: "16:9" }),
    ]);
    expect(wide.body.pages.length).toBeLessThan(tall.body.pages.length);
    expect((await make({ words }, { target: "1:1", options: targets })).status).toBe(400);
  });

  test("takes a length instead of clips", async () => {
    const made = await make({ words: words.slice(0, 2) }, { clips: undefined, duration: 1 });
    expect(pagesOf(made)).toEqual([[0.5, 1, "One two."]]);
    const scripted = await make({}, { clips: undefined, duration: 1 });
    expect([scripted.status, scripted.body.details[0].path]).toEqual([400, "captions.from"]);
  });

  test("warns of what nobody can read and of what fits no line", async () => {
    const fast = await make({ words: [{ text: "Far too many words for a short time like this", start: 0, end: 1 }] });
    expect(fast.body.warnings).toMatchObject([{ path: "captions", code: "caption_too_fast" }]);
    const wide = await make({ words: [{ text: "Donaudampfschifffahrt", start: 0, end: 2 }] });
    expect(wide.body.warnings).toMatchObject([{ path: "captions", code: "caption_overflow" }]);
  });

  test("shows the transcript of an asset", async () => {
    const { id } = await work.asset(wav());
    const speech = { text: "One two.", words: words.slice(0, 2), timing: "measured" as const };
    await service.services.assets.change(projectId, id, (asset) => ({ ...asset, speech }));
    const made = await make({ assetId: id });
    expect([made.status, pagesOf(made).length]).toEqual([200, 1]);
    expect(made.body.pages[0]).toMatchObject({ start: 0.5, lines: [{ text: "One two." }] });
  });

  test.each([
    ["captions.words", { from: "words" }, "Words are required, because from is words."],
    [
      "captions.words.0.end",
      { words: [{ text: "a", start: 2, end: 1 }] },
      "Word 1: end must not be earlier than start.",
    ],
    ["captions.srt", { srt: "1\nnever\nHi" }, "Line 2 must be a time like 00:00:01,000 --> 00:00:02,500."],
    ["captions.vtt", { vtt: "nothing" }, "Line 1 must be WEBVTT."],
    ["captions.from", { from: "voice" }, "From is voice, but the request has no voice of the work."],
    ["captions.language", { language: "not a tag" }, "Language must be a language tag, such as en, pt-BR or zh-Hans."],
    ["captions.assetId", { assetId: "asset_1" }, "Asset asset_1 has no transcript"],
    ["captions.position", { position: "left" }, "Position must be one of: top, middle, bottom"],
  ])("names the field %s", async (path, captions, message) => {
    const { status, body: refused } = await make(captions);
    expect([status, refused.code]).toEqual([400, "validation_error"]);
    expect(refused.details[0]).toMatchObject({ path, message: expect.stringContaining(message) });
    const { body: report } = await api("POST", "/api/export/validate", { ...body, captions });
    expect(report.errors[0]).toMatchObject({ path, code: "validation_error" });
  });

  test("finds no work of another user", async () => {
    expect((await jsonClient(bob)("POST", "/api/captions", { ...body, captions: { words } })).status).toBe(404);
  });
});

test("validation reports every error of captions together with others, and their warnings", async () => {
  const image = (await work.asset(png())).id;
  const captions = { srt: "1\nnever\nHi", fontAssetId: image };
  const { body: report } = await api("POST", "/api/export/validate", {
    ...body,
    clips: [{ sceneIndex: 7, position: 0, end: 1 }],
    captions,
  });
  expect(report.errors.map(({ path, code }: { path: string; code: string }) => `${path} ${code}`).sort()).toEqual([
    "captions.fontAssetId font_unusable",
    "captions.srt validation_error",
    "clips.0.sceneIndex scene_video_missing",
  ]);
  const { body: warned } = await api("POST", "/api/export/validate", { ...body, captions: { words } });
  expect(warned.ok).toBe(true);
  expect(warned.warnings).toContainEqual(expect.objectContaining({ code: "overlay_past_end", path: "captions" }));
});

const finished = async (id: string) => {
  const events = await (await ann.request(`/api/exports/${id}/events`)).text();
  expect(events).toContain("event: done");
};

async function exportFilm(changes: object) {
  const rendering = nextRendering();
  const { body: job } = await api("POST", "/api/exports", { ...body, ...changes });
  return { id: job.id as string, rendering: await rendering };
}

const download = (path: string, init?: RequestInit) => ann.request(`/api/exports/${path}`, init);

test("the captions of an export can be downloaded as soon as its video, for each target", async () => {
  const targets = ["9:16", "16:9"];
  const { id, rendering } = await exportFilm({ captions: { words }, options: { ...options, targets } });
  expect((await download(`${id}/captions.srt`)).status).toBe(409);
  await rendering.finish();
  await finished(id);

  const srt = await download(`${id}/captions.srt`);
  expect(srt.headers.get("content-type")).toBe("application/x-subrip; charset=utf-8");
  expect(srt.headers.get("content-disposition")).toBe('inline; filename="Film.srt"');
  expect(await srt.text()).toBe((await make({ words })).body.srt);
  const vtt = await download(`${id}/captions.vtt?target=16%3A9`);
  expect(vtt.headers.get("content-type")).toBe("text/vtt; charset=utf-8");
  const { cues } = await parseText(await vtt.text(), { type: "vtt" });
  expect(cues.map(({ startTime, endTime, text }) => [startTime, endTime, text])).toEqual([
    [0.5, 1.2, "One two."],
    [4, 6, "Three"],
  ]);
  const etag = vtt.headers.get("etag")!;
  const again = await download(`${id}/captions.vtt?target=16%3A9`, { headers: { "if-none-match": etag } });
  expect(again.status).toBe(304);
  const byToken = await service.request(`/api/exports/${id}/captions.srt?token=${ann.accessToken}`);
  expect(byToken.status).toBe(200);
  expect((await service.request(`/api/exports/${id}/captions.srt`)).status).toBe(401);
  expect((await bob.request(`/api/exports/${id}/captions.srt`)).status).toBe(404);
  expect((await download(`${id}/captions.srt?target=1%3A1`)).status).toBe(404);
  await ann.request(`/api/exports/${id}`, { method: "DELETE" });
  expect((await download(`${id}/captions.srt`)).status).toBe(404);
});

test("an export keeps its captions, whatever becomes of the work", async () => {
  const { id, rendering } = await exportFilm({ captions: { from: "script" } });
  await rendering.finish();
  await finished(id);
  const before = await (await download(`${id}/captions.srt`)).text();
  expect(before).toContain("Hello there.");
  const { headers } = await api("GET", work.base);
  const change = { scenes: [scene(0, { voice_text: "Other" })] };
  expect((await api("PUT", work.base, change, { "if-match": headers.get("etag")! })).status).toBe(200);
  expect(await (await download(`${id}/captions.srt`)).text()).toBe(before);
});

test("captions of the voice show its words where it is heard", async () => {
  const spoken = await newWork(ann, { scenes: [scene(0, {}), scene(1, {})] });
  const place = { projectId: spoken.projectId, workId: spoken.workId };
  await requireJson(ann.request(`${spoken.base}/media/scene/1/voice`, voiceUpload));
  const request = { ...body, ...place, voice: {}, captions: { from: "voice" } };
  const scenes = { clips: [clips[0], { sceneIndex: 1, position: 2, end: 4 }] };
  const unknown = await api("POST", "/api/captions", { ...request, ...scenes });
  expect([unknown.status, unknown.body.error]).toEqual([
    400,
    "From is voice, but its words are not known: generate the voice here, or send the words as captions.words.",
  ]);

  const recorded = (await service.services.workMedia.find(spoken.workId, "scene/1/voice"))!;
  const said = [
    { text: "Good", start: 0.1, end: 0.3 },
    { text: "day.", start: 0.3, end: 0.5 },
  ];
  const speech = { text: "Good day.", words: said, timing: "measured" } as const;
  await service.services.workMedia.put(spoken.projectId, spoken.workId, { ...recorded, speech }, (kept) => kept);
  const known = await api("POST", "/api/captions", { ...request, ...scenes });
  expect(pagesOf(known)).toEqual([[2.1, 2.8, "Good day."]]);
});

test("an export without captions has no caption files", async () => {
  const { id, rendering } = await exportFilm({});
  await rendering.finish();
  await finished(id);
  expect((await download(`${id}/captions.srt`)).status).toBe(404);
});

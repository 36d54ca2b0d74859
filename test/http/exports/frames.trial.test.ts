import { afterAll, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { createCanvas, loadImage } from "@napi-rs/canvas";
import type { FrameRenderer } from "../../../src/engine/ports.ts";
import { numberOn, smallCanvas } from "../../support/media/draw-media.ts";
import { ffmpegs, temporaryFolder } from "../../support/media/ffmpeg.ts";
import { testService } from "../../support/service.ts";
import { png } from "../../support/uploads.ts";
import { newWork, numberedVideo, requireJson } from "../../support/work-videos.ts";

const calls: Parameters<FrameRenderer["frame"]>[1][] = [];
const service = await testService({}, undefined, ({ frameRenderer }) => ({
  frameRenderer: {
    ...frameRenderer,
    frame: (timeline, options) => {
      calls.push(options);
      return frameRenderer.frame(timeline, options);
    },
  },
}));
const ann = await service.register("Ann");
const folder = await temporaryFolder();
const options = { width: 64, height: 36, fps: 30 };

afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

const work = await newWork(ann, { name: "Фильм" });
await work.scene(0, await numberedVideo(folder, 100));
await work.scene(1, await numberedVideo(folder, 300));
const { projectId, workId, base } = work;
const clips = [
  { sceneIndex: 0, position: 0, end: 0.5 },
  { sceneIndex: 1, position: 0.5, end: 1.2, cutFrom: 0.2 },
];
const request = { projectId, workId, clips, options };

const frame = (query: string, body: object = request, user = ann) =>
  user.json("POST", `/api/export/frame${query}`, body);

async function imageIn(sent: Response | Promise<Response>) {
  const response = await sent;
  if (!response.ok) throw new Error(await response.text());
  expect(response.headers.get("content-type")).toBe("image/png");
  return await loadImage(await response.arrayBuffer());
}

/** The number that an image of the small canvas shows. */
async function numberIn(sent: Response | Promise<Response>): Promise<number> {
  const context = createCanvas(smallCanvas.width, smallCanvas.height).getContext("2d");
  context.drawImage(await imageIn(sent), 0, 0);
  const { data } = context.getImageData(0, 0, smallCanvas.width, smallCanvas.height);
  return numberOn({
    ...smallCanvas,
    levels: Uint8Array.from({ length: data.length / 4 }, (_, at) => data[at * 4 + 1]!),
  });
}

test("a time gives the frame that the video shows then", async () => {
  const shown = [];
  for (const t of ["0", "0.03", "0.0334", "0.4999", "0.5", "1.1999"]) shown.push(await numberIn(frame(`?t=${t}`)));
  expect(shown).toEqual([100, 100, 101, 114, 306, 326]);
});

test("the decimal time of a frame gives that frame", async () => {
  // in floating point 2.3 * 30 is slightly less than 69
  const long = {
    ...request,
    clips: [
      { sceneIndex: 0, position: 0, end: 1.5 },
      { sceneIndex: 1, position: 1.5, end: 2.9 },
    ],
  };
  expect(await numberIn(frame("?t=2.3", long))).toBe(300 + 69 - 45);
});

test("a missing, malformed or out-of-range time gives 400", async () => {
  for (const query of ["", "?t=", "?t=abc", "?t=NaN", "?t=Infinity", "?t=-0.1", "?t=1.2", "?t=1e9", "?width=64"]) {
    const response = await frame(query);
    const { code, details } = await response.json();
    expect([query, response.status, code, details[0].path]).toEqual([query, 400, "validation_error", "t"]);
  }
});

test("a width scales the image in proportion", async () => {
  for (const [width, height] of [
    [16, 9],
    [128, 72],
    [101, 57],
  ]) {
    const image = await imageIn(frame(`?t=0&width=${width}`));
    expect([image.width, image.height]).toEqual([width!, height!]);
  }
  for (const width of ["15", "4097", "x", "1.5"]) {
    const response = await frame(`?t=0&width=${width}`);
    expect([response.status, (await response.json()).details[0].path]).toEqual([400, "width"]);
  }
});

test("a longest side makes the image smaller, never larger", async () => {
  const tall = { ...request, options: { width: 36, height: 64, fps: 30 } };
  for (const [query, body, size] of [
    ["maxSide=32", request, [32, 18]],
    ["maxSide=32", tall, [18, 32]],
    ["maxSide=4096", request, [64, 36]],
    ["width=128&maxSide=100", request, [100, 56]],
  ] as const) {
    const { width, height } = await imageIn(frame(`?t=0&${query}`, body));
    expect([query, width, height]).toEqual([query, ...size]);
  }
});

test("a width that would make the image too high gives 400", async () => {
  const tall = { ...request, options: { width: 16, height: 4096, fps: 30 } };
  const response = await frame("?t=0&width=17", tall);
  expect([response.status, (await response.json()).details[0].path]).toEqual([400, "width"]);
});

test("a frame and a contact sheet give the same error as the export", async () => {
  const missing = { ...request, clips: [{ ...clips[0], sceneIndex: 7 }] };
  const exported = await ann.json("POST", "/api/export", missing);
  for (const path of ["frame?t=0", "contact-sheet"]) {
    const response = await ann.json("POST", `/api/export/${path}`, missing);
    const { requestId, ...error } = await response.json();
    expect([response.status, error]).toEqual([422, { ...(await exported.clone().json()), requestId: undefined }]);
  }
});

test("another user's work gives 404", async () => {
  const bob = await service.register("Bob");
  expect((await frame("", { ...request, clips: "nonsense" }, bob)).status).toBe(404);
  expect((await bob.json("GET", `${base}/frame?t=0`)).status).toBe(404);
  expect((await bob.json("GET", `${base}/contact-sheet`)).status).toBe(404);
});

test("a work's frames come from its saved editor, and accept the token in the URL", async () => {
  const videoTrack = [{ id: "a", sceneIndex: 1, start: 0, end: 1, trimStart: 0.1 }];
  await requireJson(ann.json("PUT", base, { editorState: { editorData: { videoTrack }, exportSettings: options } }));
  const shown = await service.request(`${base}/frame?t=0.5&token=${ann.accessToken}`);

  expect(shown.headers.get("content-disposition")).toContain("inline");
  const etag = shown.headers.get("etag")!;
  expect(await numberIn(shown)).toBe(318);
  expect(await numberIn(frame("?t=0.5", { projectId, workId }))).toBe(318);
  const again = await ann.request(`${base}/frame?t=0.5`, { headers: { "if-none-match": etag } });
  expect(again.status).toBe(304);
  const sheet = await imageIn(service.request(`${base}/contact-sheet?token=${ann.accessToken}`));
  expect(sheet.width).toBeGreaterThan(4 * 64);
});

test("a work without clips in its editor has no frames", async () => {
  const empty = await newWork(ann);
  const response = await ann.json("GET", `${empty.base}/frame?t=0`);
  expect([response.status, (await response.json()).code]).toEqual([422, "nothing_to_export"]);
});

test("a contact sheet has the requested rows and columns, and no more tiles than the video has frames", async () => {
  const sizeOf = async (query: string, body: object = request) => {
    const { width, height } = await imageIn(ann.json("POST", `/api/export/contact-sheet${query}`, body));
    return [width, height];
  };
  const [width, height] = await sizeOf("?columns=1&rows=1");
  const cell = width! - 12;
  const row = height! - 12;
  expect([await sizeOf(""), await sizeOf("?columns=6&rows=2")]).toEqual([
    [12 + 4 * cell, 12 + 4 * row],
    [12 + 6 * cell, 12 + 2 * row],
  ]);
  const short = { ...request, clips: [{ sceneIndex: 0, position: 0, end: 0.1 }] };
  expect(await sizeOf("?columns=10&rows=10", short)).toEqual([12 + 3 * cell, 12 + row]);
});

test("a contact sheet with too many or no tiles gives 400", async () => {
  for (const query of ["columns=0", "columns=11", "rows=0", "rows=11", "rows=x"]) {
    const response = await ann.json("POST", `/api/export/contact-sheet?${query}`, request);
    expect([query, response.status]).toEqual([query, 400]);
    expect((await response.json()).details[0].path).toBe(query.split("=")[0]);
  }
});

test("a client that disconnects stops the rendering", async () => {
  const controller = new AbortController();
  const before = calls.length;
  const response = ann.request("/api/export/frame?t=0.25&width=50", {
    method: "POST",
    body: JSON.stringify(request),
    signal: controller.signal,
    headers: { "content-type": "application/json" },
  });
  controller.abort();
  expect((await response).status).toBe(500);
  expect(calls.slice(before).every(({ signal }) => signal.aborted)).toBe(true);
});

test("a work with images only has frames", async () => {
  const imageWork = await newWork(ann);
  await imageWork.image(0, png(64, 36));
  const body = { projectId: imageWork.projectId, workId: imageWork.workId, options, clips: [clips[0]] };
  expect((await imageIn(frame("?t=0.2", body))).width).toBe(64);
  expect(ffmpegs().length).toBeGreaterThan(0);
});

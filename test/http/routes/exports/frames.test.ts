import { afterAll, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { createCanvas, loadImage } from "@napi-rs/canvas";
import type { FrameRenderer } from "../../../../src/domain/exports/frames.ts";
import { ffmpegs, temporaryFolder } from "../../../helpers/ffmpeg.ts";
import { numberOn, smallCanvas } from "../../../helpers/media.ts";
import { testService } from "../../../helpers/service.ts";
import { png } from "../../../helpers/uploads.ts";
import { created, newWork, numbered } from "../../../helpers/work-films.ts";

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

const film = await newWork(ann, { name: "Фильм" });
await film.scene(0, await numbered(folder, 100));
await film.scene(1, await numbered(folder, 300));
const { projectId, workId, base } = film;
const clips = [
  { sceneIndex: 0, position: 0, end: 0.5 },
  { sceneIndex: 1, position: 0.5, end: 1.2, cutFrom: 0.2 },
];
const order = { projectId, workId, clips, options };

const frame = (query: string, body: object = order, user = ann) => user.json("POST", `/api/export/frame${query}`, body);

async function pictureIn(answer: Response | Promise<Response>) {
  const response = await answer;
  if (!response.ok) throw new Error(await response.text());
  expect(response.headers.get("content-type")).toBe("image/png");
  return await loadImage(await response.arrayBuffer());
}

/** The number that a picture of the small canvas shows. */
async function numberIn(answer: Response | Promise<Response>): Promise<number> {
  const context = createCanvas(smallCanvas.width, smallCanvas.height).getContext("2d");
  context.drawImage(await pictureIn(answer), 0, 0);
  const { data } = context.getImageData(0, 0, smallCanvas.width, smallCanvas.height);
  return numberOn({
    ...smallCanvas,
    levels: Uint8Array.from({ length: data.length / 4 }, (_, at) => data[at * 4 + 1]!),
  });
}

test("a time shows the frame that the film has then", async () => {
  const shown = [];
  for (const t of ["0", "0.03", "0.0334", "0.4999", "0.5", "1.1999"]) shown.push(await numberIn(frame(`?t=${t}`)));
  expect(shown).toEqual([100, 100, 101, 114, 306, 326]);
});

test("times that are frames of the film in decimals are those frames", async () => {
  // 2.3 * 30 is a hair less than 69 for a computer
  const long = {
    ...order,
    clips: [
      { sceneIndex: 0, position: 0, end: 1.5 },
      { sceneIndex: 1, position: 1.5, end: 2.9 },
    ],
  };
  expect(await numberIn(frame("?t=2.3", long))).toBe(300 + 69 - 45);
});

test("a time outside the film, none, or nonsense is refused", async () => {
  for (const query of ["", "?t=", "?t=abc", "?t=NaN", "?t=Infinity", "?t=-0.1", "?t=1.2", "?t=1e9", "?width=64"]) {
    const response = await frame(query);
    const { code, details } = await response.json();
    expect([query, response.status, code, details[0].path]).toEqual([query, 400, "validation_error", "t"]);
  }
});

test("a width scales the picture in proportion", async () => {
  for (const [width, height] of [
    [16, 9],
    [128, 72],
    [101, 57],
  ]) {
    const picture = await pictureIn(frame(`?t=0&width=${width}`));
    expect([picture.width, picture.height]).toEqual([width!, height!]);
  }
  for (const width of ["15", "4097", "x", "1.5"]) {
    const response = await frame(`?t=0&width=${width}`);
    expect([response.status, (await response.json()).details[0].path]).toEqual([400, "width"]);
  }
});

test("a width that would make the picture too high is refused", async () => {
  const tall = { ...order, options: { width: 16, height: 4096, fps: 30 } };
  const response = await frame("?t=0&width=17", tall);
  expect([response.status, (await response.json()).details[0].path]).toEqual([400, "width"]);
});

test("errors are those of the export", async () => {
  const missing = { ...order, clips: [{ ...clips[0], sceneIndex: 7 }] };
  const exported = await ann.json("POST", "/api/export", missing);
  for (const path of ["frame?t=0", "contact-sheet"]) {
    const response = await ann.json("POST", `/api/export/${path}`, missing);
    const { requestId, ...error } = await response.json();
    expect([response.status, error]).toEqual([422, { ...(await exported.clone().json()), requestId: undefined }]);
  }
});

test("somebody else's work is as missing as none", async () => {
  const bob = await service.register("Bob");
  expect((await frame("", { ...order, clips: "nonsense" }, bob)).status).toBe(404);
  expect((await bob.json("GET", `${base}/frame?t=0`)).status).toBe(404);
  expect((await bob.json("GET", `${base}/contact-sheet`)).status).toBe(404);
});

test("a work's own frames are those of its saved editor, open to whoever has a token in the address", async () => {
  const videoTrack = [{ id: "a", sceneIndex: 1, start: 0, end: 1, trimStart: 0.1 }];
  await created(ann.json("PUT", base, { editorState: { editorData: { videoTrack }, exportSettings: options } }));
  const shown = await service.request(`${base}/frame?t=0.5&token=${ann.accessToken}`);

  expect(shown.headers.get("content-disposition")).toContain("inline");
  const etag = shown.headers.get("etag")!;
  expect(await numberIn(shown)).toBe(318);
  expect(await numberIn(frame("?t=0.5", { projectId, workId }))).toBe(318);
  const again = await ann.request(`${base}/frame?t=0.5`, { headers: { "if-none-match": etag } });
  expect(again.status).toBe(304);
  const sheet = await pictureIn(service.request(`${base}/contact-sheet?token=${ann.accessToken}`));
  expect(sheet.width).toBeGreaterThan(4 * 64);
});

test("a work with nothing in its editor has no frames", async () => {
  const empty = await newWork(ann);
  const response = await ann.json("GET", `${empty.base}/frame?t=0`);
  expect([response.status, (await response.json()).code]).toEqual([422, "nothing_to_export"]);
});

test("a contact sheet has the asked number of rows and columns, and no more tiles than the film has frames", async () => {
  const sizeOf = async (query: string, body: object = order) => {
    const { width, height } = await pictureIn(ann.json("POST", `/api/export/contact-sheet${query}`, body));
    return [width, height];
  };
  const [one, usual, wide] = [await sizeOf("?columns=1&rows=1"), await sizeOf(""), await sizeOf("?columns=6&rows=2")];
  const [cell, row] = [one[0]! - 12, one[1]! - 12];
  expect([usual, wide]).toEqual([
    [12 + 4 * cell, 12 + 4 * row],
    [12 + 6 * cell, 12 + 2 * row],
  ]);
  const short = { ...order, clips: [{ sceneIndex: 0, position: 0, end: 0.1 }] };
  expect(await sizeOf("?columns=10&rows=10", short)).toEqual([12 + 3 * cell, 12 + row]);
});

test("a contact sheet of too many or no tiles is refused", async () => {
  for (const query of ["columns=0", "columns=11", "rows=0", "rows=11", "rows=x"]) {
    const response = await ann.json("POST", `/api/export/contact-sheet?${query}`, order);
    expect([query, response.status]).toEqual([query, 400]);
    expect((await response.json()).details[0].path).toBe(query.split("=")[0]);
  }
});

test("whoever leaves stops the drawing", async () => {
  const controller = new AbortController();
  const wanted = calls.length;
  const asked = ann.request("/api/export/frame?t=0.25&width=50", {
    ...{ method: "POST", body: JSON.stringify(order), signal: controller.signal },
    headers: { "content-type": "application/json" },
  });
  controller.abort();
  expect((await asked).status).toBe(500);
  expect(calls.slice(wanted).every(({ signal }) => signal.aborted)).toBe(true);
});

test("frames need no more than images do", async () => {
  const still = await newWork(ann);
  await still.picture(0, png(64, 36));
  const body = { projectId: still.projectId, workId: still.workId, options, clips: [clips[0]] };
  expect((await pictureIn(frame("?t=0.2", body))).width).toBe(64);
  expect(ffmpegs().length).toBeGreaterThan(0);
});

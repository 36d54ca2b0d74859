import { afterAll, describe, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { loadImage } from "@napi-rs/canvas";
import { draw } from "../../support/media/draw-media.ts";
import { temporaryFolder, testedFfmpegs } from "../../support/media/ffmpeg.ts";
import { pixelsOf, psnr, rgbFrames } from "../../support/media/rgb.ts";
import { sharedService } from "../../support/service.ts";
import { newWork, requireJson, saveResponse } from "../../support/work-videos.ts";

const service = await sharedService();
const ann = await service.register("Ann");
const folder = await temporaryFolder();
/** The service's own ffmpeg, so that both decode to the same colors. */
const ffmpeg = testedFfmpegs[0]!;

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

const work = await newWork(ann, { name: "Film" });
const path = await draw(join(folder, "busy.mp4"), "testsrc2=s=160x90:r=10:d=0.5,format=yuv420p", "-c:v", "libx264");
await work.scene(0, new File([await Bun.file(path).bytes()], "busy.mp4", { type: "video/mp4" }));

const clips = [{ sceneIndex: 0, position: 0, end: 0.5, fit: "cover", focus: { x: 0.3, y: 0.5 } }];
const texts = [{ text: "■", position: 0, end: 0.5, fontSize: 20, centerX: 60, fontColor: "red" }];
const request = (options: object) => ({
  projectId: work.projectId,
  workId: work.workId,
  clips,
  texts,
  options: { width: 160, height: 90, fps: 10, ...options },
});

const frame = (query: string, body: object) => ann.json("POST", `/api/export/frame?t=${query}`, body);

async function png(sent: Response | Promise<Response>): Promise<Uint8Array> {
  const response = await sent;
  if (!response.ok) throw new Error(await response.text());
  return await response.bytes();
}

async function sizeOf(sent: Response | Promise<Response>) {
  const { width, height } = await loadImage(await png(sent));
  return [width, height];
}

describe("a frame of one of several targets", () => {
  const targets = ["1:1", "16:9"];

  test.each(["standard", "draft"])(
    "of %p quality matches the video's frame, and is decoded from the video once it exists",
    async (quality) => {
      const body = request({ targets, quality });
      const at = (frameNumber: number, target: string) =>
        png(frame(`${(frameNumber + 0.5) / 10}&target=${target}`, body)).then(pixelsOf);
      const before = await Promise.all(targets.map((target) => at(3, target)));

      const { id } = await requireJson(ann.json("POST", "/api/exports", body));
      await (await ann.request(`/api/exports/${id}/events`)).text();
      const { files } = await requireJson(ann.request(`/api/exports/${id}`));
      for (const [index, { target, url, width, height }] of files.entries()) {
        const frames = await rgbFrames(ffmpeg, await saveResponse(folder, await ann.request(url)), { width, height });
        expect([target, psnr(before[index]!, frames[3]!) > 28]).toEqual([target, true]);
        // encoding changes pixels: an identical frame was decoded, not drawn
        expect([target, Buffer.compare(before[index]!, frames[3]!) === 0]).toEqual([target, false]);
        expect([target, Buffer.compare(await at(1, target), frames[1]!) === 0]).toEqual([target, true]);
      }
    },
  );

  test("is of the first target by default", async () => {
    const body = request({ targets });
    const [first, named] = await Promise.all([frame("0.1", body), frame("0.1&target=1%3A1", body)].map(png));
    expect([await sizeOf(frame("0.1", body)), Buffer.compare(first!, named!)]).toEqual([[90, 90], 0]);
  });

  test("is scaled in the proportions of its target", async () => {
    expect(await sizeOf(frame("0.1&target=9:16&width=45", request({ targets: ["1:1", "9:16"] })))).toEqual([45, 80]);
  });

  test("is named after its target", async () => {
    const { headers } = await frame("0.25&target=16:9", request({ targets }));
    expect(headers.get("content-disposition")).toBe('inline; filename="Film 16x9 0.25.png"');
  });
});

test("a contact sheet has tiles in the aspect ratio of its target", async () => {
  const sheet = (query: string) =>
    sizeOf(
      ann.json("POST", `/api/export/contact-sheet?columns=1&rows=1${query}`, request({ targets: ["1:1", "9:16"] })),
    );
  expect([await sheet(""), await sheet("&target=1:1")]).toEqual([
    [120, 144],
    [120, 144],
  ]);
  expect(await sheet("&target=9:16")).toEqual([120, 214]);
});

test("a request without targets has frames of any target", async () => {
  const videoTrack = [{ id: "a", sceneIndex: 0, start: 0, end: 0.5 }];
  const editorState = { editorData: { videoTrack }, exportSettings: { width: 160, height: 90, fps: 10 } };
  await requireJson(ann.json("PUT", work.base, { editorState }));
  expect(await sizeOf(frame("0.1&target=4:5", request({})))).toEqual([90, 112]);
  expect(await sizeOf(ann.request(`${work.base}/frame?t=0.1&target=4:5`))).toEqual([90, 112]);
  const sheet = await sizeOf(ann.request(`${work.base}/contact-sheet?columns=1&rows=1&target=4:5`));
  expect(sheet).toEqual([120, 166]);
});

test.each(["4:5", "2:1", ""])("a target %p that the request does not have gives 400", async (target) => {
  const body = request({ targets: ["1:1"] });
  const responses = [
    frame(`0.1&target=${target}`, body),
    ann.json("POST", `/api/export/contact-sheet?target=${target}`, body),
  ];
  for (const response of await Promise.all(responses)) {
    const { code, details } = await response.json();
    expect([response.status, code, details[0].path]).toEqual([400, "validation_error", "target"]);
  }
});

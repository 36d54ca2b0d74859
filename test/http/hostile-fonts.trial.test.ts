import { afterAll, expect, test } from "bun:test";
import { ffmpegFrameRenderer } from "../../src/engine/frames/renderer.ts";
import { ffmpegInspector } from "../../src/engine/inspect/inspect.ts";
import { ffmpegRenderer } from "../../src/engine/render/renderer.ts";
import { taskPool } from "../../src/engine/sandbox/task-pool.ts";
import { textMeasurer } from "../../src/engine/text/measurer.ts";
import { bombFont } from "../support/media/bomb-font.ts";
import { foundFfmpeg } from "../support/media/ffmpeg.ts";
import { freeLeases, noRenderCache } from "../support/media/render-caches.ts";
import { type TestUser, testService } from "../support/service.ts";
import { formOf, newProject, png } from "../support/uploads.ts";
import { newWork, requireJson } from "../support/work-videos.ts";

/** Much less time than the service allows a task. */
const canvas = taskPool({ taskMilliseconds: 1_000, bitmapMilliseconds: 0 });
const ffmpeg = await foundFfmpeg();

const service = await testService({}, undefined, ({ files }) => {
  const adapters = { ffmpeg, files, canvas, concurrency: 2 };
  return {
    inspector: ffmpegInspector({ ffmpeg, makeFolder: files.jobFolder, canvas }),
    textMeasurer: textMeasurer({ files, canvas }),
    renderer: ffmpegRenderer({ ...adapters, cache: noRenderCache, leases: freeLeases }),
    frameRenderer: ffmpegFrameRenderer({ ...adapters, segmentCache: noRenderCache, frameCache: noRenderCache }),
  };
});
const mallory = await service.register("Mallory");
const ann = await service.register("Ann");
afterAll(() => service.close());

/** Every inspection draws this letter. */
const probed = "A".codePointAt(0)!;
/** No inspection draws this code point. */
const rare = 0xe123;

const fontFile = (bytes: Buffer) => new File([new Uint8Array(bytes)], "font.ttf", { type: "font/ttf" });

test("a font that takes hours to read is rejected, and the service answers in the meantime", async () => {
  const body = formOf({ file: fontFile(bombFont({ plain: [], bombs: [probed] })) });
  const projectId = await newProject(mallory);
  const order: string[] = [];
  const uploading = Promise.resolve(mallory.request(`/api/projects/${projectId}/assets`, { method: "POST", body }));
  void uploading.then(() => order.push("upload"));
  for (let count = 0; count < 5; count++) {
    expect((await service.request("/api/health")).status).toBe(200);
    order.push("health");
  }
  const rejected = await uploading;
  expect([rejected.status, (await rejected.json()).code]).toEqual([415, "unsupported_media_type"]);
  expect(order).toEqual([...Array(5).fill("health"), "upload"]);
});

/** A request for one frame's time of a white picture with a text. */
async function titled(user: TestUser, text: object) {
  const work = await newWork(user, { name: "Film" });
  await work.image(0, png(64, 36));
  return {
    work,
    request: {
      projectId: work.projectId,
      workId: work.workId,
      clips: [{ sceneIndex: 0, position: 0, end: 0.2 }],
      texts: [{ position: 0, end: 0.2, fontSize: 12, ...text }],
      options: { width: 64, height: 36, fps: 10 },
    },
  };
}

test("a font with one such glyph is unusable for texts that show it, and other texts are drawn", async () => {
  const { work, request } = await titled(mallory, { text: String.fromCodePoint(rare) });
  const { id: fontAssetId } = await work.asset(fontFile(bombFont({ plain: [probed], bombs: [rare] })));
  const slow = { ...request, texts: request.texts.map((text) => ({ ...text, fontAssetId })) };

  const [validated, frame, film] = await Promise.all([
    requireJson(mallory.json("POST", "/api/export/validate", slow)),
    mallory.json("POST", "/api/export/frame?t=0", slow),
    mallory.json("POST", "/api/export", slow),
  ]);
  expect(validated.errors).toMatchObject([{ path: "texts.0.fontAssetId", code: "font_unusable" }]);
  expect([frame.status, (await frame.json()).code]).toEqual([422, "font_unusable"]);
  expect([film.status, (await film.json()).code]).toEqual([422, "font_unusable"]);

  const plain = await titled(ann, { text: "A" });
  expect((await ann.json("POST", "/api/export/frame?t=0", plain.request)).status).toBe(200);
});

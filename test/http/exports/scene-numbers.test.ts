import { afterAll, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { eq } from "drizzle-orm";
import { exportJobs } from "../../../src/storage/exports/tables.ts";
import { callTool, newClient } from "../../support/mcp-clients.ts";
import { ffmpegs, temporaryFolder } from "../../support/media/ffmpeg.ts";
import { sharedService } from "../../support/service.ts";
import { listen } from "../../support/uploads.ts";
import { newWork, numberedVideo, readNumbers, requireJson, saveResponse } from "../../support/work-videos.ts";

const service = await sharedService();
const server = listen(service);
const ann = await service.register("Ann");
const folder = await temporaryFolder();
const [ffmpeg] = ffmpegs();
afterAll(async () => {
  server.stop();
  await rm(folder, { recursive: true, force: true });
});

const words = ["Look closer", "Meet the cup", "Order today"];
const scenesFrom = (first: number) =>
  words.map((text_overlay, place) => ({ scene_index: first + place, duration_seconds: 0.1, text_overlay }));
const statesFrom = (first: number) => words.map((_, place) => ({ sceneIndex: first + place, status: "done" }));

/** The work as an editor saves it whose scenes are numbered from `first`. */
const numberedFrom = (first: number, fields: object = {}) =>
  requireJson(ann.json("PUT", work.base, { scenes: scenesFrom(first), generatedScenes: statesFrom(first), ...fields }));

const work = await newWork(ann);
for (const place of [0, 1, 2]) await work.scene(place, await numberedVideo(folder, 100 + 200 * place));
await numberedFrom(1);

const options = { width: 64, height: 36, fps: 30 };
const clip = (sceneIndex: number, position: number) => ({ sceneIndex, position, end: position + 0.1 });
const ids = { projectId: work.projectId, workId: work.workId };
/** Leaves out the first scene of a client that counts from 1. */
const request = { ...ids, clips: [clip(2, 0), clip(3, 0.1)], options };
const numbers = [300, 301, 302, 500, 501, 502];

const numbersOf = async (response: Response) => readNumbers(ffmpeg!, await saveResponse(folder, response));

async function numbersOfJob(id: string) {
  await (await ann.request(`/api/exports/${id}/events`)).text();
  return await numbersOf(await ann.request(`/api/exports/${id}/file`));
}

test("each way to a film without the first scene shows the scenes that were asked for", async () => {
  const async = { Prefer: "respond-async" };
  const client = await newClient(server, ann.accessToken);
  const started = [
    (await requireJson(ann.json("POST", "/api/export", request, async))).id,
    (await requireJson(ann.json("POST", "/api/exports", request))).id,
    (await callTool(client, "export_start", { ...request, waitSeconds: 0 })).id,
  ];
  await client.close();
  expect(await numbersOf(await ann.json("POST", "/api/export", request))).toEqual(numbers);
  for (const id of started) expect(await numbersOfJob(id)).toEqual(numbers);
});

test("frames, sheets, captions and validation show the scenes of the film", async () => {
  const answers = async (clips: readonly object[]) => {
    const send = (path: string) => ann.json("POST", path, { ...request, clips, captions: {} });
    const [frame, sheet, captions, report] = await Promise.all([
      send("/api/export/frame?t=0.15"),
      send("/api/export/contact-sheet"),
      send("/api/captions"),
      send("/api/export/validate"),
    ]);
    const { estimatedSeconds: _, ...facts } = await requireJson(report);
    return [await frame.bytes(), await sheet.bytes(), await requireJson(captions), facts] as const;
  };
  const fromOne = await answers(request.clips);
  expect(fromOne[2].srt).toMatch(/Meet.*Order/s);
  expect(fromOne[2].srt).not.toContain("Look");
  await numberedFrom(0);
  expect(fromOne).toEqual(await answers([clip(1, 0), clip(2, 0.1)]));
  await numberedFrom(1);
});

test("an export without clips shows the scenes of the saved track", async () => {
  const videoTrack = [2, 3].map((sceneIndex, at) => ({ id: `c${at}`, sceneIndex, start: at / 10, end: (at + 1) / 10 }));
  await numberedFrom(1, { editorState: { editorData: { videoTrack }, exportSettings: options } });
  expect(await numbersOf(await ann.json("POST", "/api/export", ids))).toEqual(numbers);
  await numberedFrom(1, { editorState: null });
});

test("an empty track stands for the scenes that have media, also before and after a template wrote it", async () => {
  await ann.request(`${work.base}/media/scene/0/video`, { method: "DELETE" });
  await numberedFrom(1, { editorState: { exportSettings: options } });
  expect(await numbersOf(await ann.json("POST", "/api/export", ids))).toEqual(numbers);

  const path = `/api/projects/${work.projectId}/templates`;
  const { id: templateId } = await requireJson(ann.json("POST", path, { name: "T", content: {} }));
  await requireJson(ann.json("POST", `${work.base}/apply-template`, { templateId }));
  expect(await numbersOf(await ann.json("POST", "/api/export", ids))).toEqual(numbers);
});

test("validation names the missing scene of a request that has other errors, too", async () => {
  const codes = async (sceneIndex: number) => {
    const broken = { ...request, clips: [clip(sceneIndex, 0)], options: { width: 3 } };
    const { errors } = await requireJson(ann.json("POST", "/api/export/validate", broken));
    return errors.map(({ code }: { code: string }) => code).filter((code: string) => code !== "validation_error");
  };
  // the first scene has no video any more
  expect(await codes(1)).toEqual(["scene_video_missing"]);
  expect(await codes(2)).toEqual([]);
});

test("a job that an earlier release has stored is rendered as it is, and filled if it has no clips", async () => {
  const { id } = await requireJson(ann.json("POST", "/api/exports", request));
  await (await ann.request(`/api/exports/${id}/events`)).text();
  const [row] = await service.db.select().from(exportJobs).where(eq(exportJobs.id, id));
  const { exports } = service.services;
  for (const stored of [
    { ...ids, clips: [clip(1, 0), clip(2, 0.1)], options },
    { ...ids, options },
  ]) {
    const copy = { ...row!, id: `exp_${crypto.randomUUID().replaceAll("-", "")}`, status: "queued" as const };
    // safe because rows of earlier releases have any shape
    await exports.add({ ...copy, request: stored as never, files: [], attempt: 0, finishedAt: undefined } as never);
    expect(await numbersOfJob(copy.id)).toEqual(numbers);
  }
});

import { afterAll, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { eq } from "drizzle-orm";
import { exportJobs } from "../../../src/storage/tables/exports.ts";
import { temporaryFolder } from "../../support/media/ffmpeg.ts";
import { requireJson } from "../../support/work-videos.ts";
import { clip, numberedScenes, numbers, options } from "./numbered-scenes.ts";

const folder = await temporaryFolder();
afterAll(() => rm(folder, { recursive: true, force: true }));

const { service, ann, work, ids, request, numberedFrom, numbersOf, numbersOfJob } = await numberedScenes(folder);

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

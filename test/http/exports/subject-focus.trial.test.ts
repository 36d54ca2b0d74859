import { afterAll, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { archiveOf, importInto } from "../../support/archives.ts";
import { draw, lumaFrames } from "../../support/media/draw-media.ts";
import { ffmpegs, temporaryFolder } from "../../support/media/ffmpeg.ts";
import { fakeServer, jsonBody } from "../../support/models/fake-server.ts";
import { googleResponse, openaiResponse } from "../../support/models/text-responses.ts";
import { jsonInit, password, testService } from "../../support/service.ts";
import { measuredReport, newWork, requireJson, saveResponse } from "../../support/work-videos.ts";

let answer: object = {};
const text = () => ({ text: JSON.stringify(answer) });
const provider = fakeServer({
  "POST /v1/responses": () => openaiResponse(text()),
  "POST /v1beta/models/:call": () => googleResponse(text()),
});
const service = await testService({
  OPENAI_BASE_URL: `${provider.url}/v1`,
  GOOGLE_BASE_URL: `${provider.url}/v1beta`,
});
const second = await testService();
const ann = await service.register("Ann");
const folder = await temporaryFolder();
const [ffmpeg] = ffmpegs();

afterAll(async () => {
  await Promise.all([service.close(), second.close(), provider.stop()]);
  await rm(folder, { recursive: true, force: true });
});

/** A black square stands at the left; at the right a white one moves, as nothing else does. */
const drawing =
  "color=0x707070:s=160x90:r=20:d=1,drawbox=x=8:y=30:w=20:h=30:color=black:t=fill[still];color=white:s=24x24:r=20:d=1[moving];[still][moving]overlay=x='124+10*sin(12*t)':y='30+10*cos(9*t)',format=yuv420p";
const path = await draw(join(folder, "clip.mp4"), drawing, "-c:v", "libx264", "-qp", "0");
const clip = new File([await Bun.file(path).bytes()], "clip.mp4", { type: "video/mp4" });
const work = await newWork(ann, { name: "Film" });
await work.scene(0, clip);
const asset = await work.asset(clip);

const size = { width: 90, height: 160 };
const request = {
  projectId: work.projectId,
  workId: work.workId,
  options: { ...size, fps: 20 },
  clips: [{ sceneIndex: 0, position: 0, end: 1, fit: "cover", focus: "auto" }],
};
const validate = () => measuredReport(async () => ann.json("POST", "/api/export/validate", request));
const reasons = async () =>
  (await validate()).focus[0].parts.map(({ reason }: { reason: string }) => reason) as string[];
const isCached = async () => {
  const { segments } = await validate();
  return segments.cached === segments.total;
};

/** Of each frame of an export: whether it shows what moves, and the square that stands. */
async function sights() {
  const saved = await saveResponse(folder, await ann.json("POST", "/api/export", request));
  const frames = await lumaFrames(ffmpeg!, saved, size);
  const kinds = frames.map(({ levels }) => `${Math.max(...levels) > 200} ${Math.min(...levels) < 40}`);
  return [...new Set(kinds)];
}
const onlyMoving = ["true false"];
const onlyStanding = ["false true"];

const filmOfLast = async () => {
  const { exports } = await requireJson(ann.request("/api/exports?limit=1"));
  return await requireJson(ann.request(`/api/exports/${exports[0].id}/film.json`));
};

const google = { "x-vision-provider": "google", "x-api-key": "google-key" };
const openai = { "x-vision-provider": "openai", "x-api-key": "sk-test" };
const analyze = (headers: Record<string, string>) =>
  requireJson(ann.json("POST", `/api/projects/${work.projectId}/assets/${asset.id}/analyze`, {}, headers));
const boxes = (left: number) =>
  [0, 0.4, 0.9].map((at_seconds) => ({ at_seconds, box_2d: [330, left, 670, left + 130] }));

test("a clip follows the boxes that a vision model has given for its asset, in place of what moves", async () => {
  expect([await sights(), await reasons()]).toEqual([onlyMoving, ["motion"]]);
  expect((await filmOfLast()).inputs).not.toHaveProperty(["clips.0.focus"]);

  answer = { description: "A black square, and a white one.", subject_boxes: boxes(50) };
  const described = await analyze(google);
  expect(described.description).toBe("A black square, and a white one.");
  expect(described).not.toHaveProperty("subjectBoxes");
  const [asked] = provider.requests.slice(-1);
  expect(JSON.stringify(jsonBody(asked).systemInstruction)).toContain("[ymin, xmin, ymax, xmax]");

  expect([await isCached(), await reasons()]).toEqual([false, ["subject"]]);
  expect(await sights()).toEqual(onlyStanding);
  expect((await filmOfLast()).inputs).toHaveProperty(["clips.0.focus"]);
});

test("an analysis that finds the same renders nothing again", async () => {
  await analyze(openai);
  expect([await isCached(), await reasons()]).toEqual([true, ["subject"]]);
});

test("an archive takes the boxes along", async () => {
  await importInto(second, (await archiveOf(service)).bytes);
  const login = await requireJson(
    second.request("/api/auth/login", jsonInit("POST", { email: ann.user.email, password })),
  );
  const headers = { authorization: `Bearer ${login.accessToken}`, "content-type": "application/json" };
  const init = { method: "POST", headers, body: JSON.stringify(request) };
  const { focus } = await measuredReport(async () => second.request("/api/export/validate", init));
  expect(focus[0].parts).toMatchObject([{ reason: "subject" }]);
});

test("boxes that cannot be read, and an analysis without any, leave what was measured; the words stay", async () => {
  answer = { description: "Two squares.", subject_boxes: [{ at_seconds: 0, box_2d: [900, 900, 100, 100] }, "left"] };
  expect((await analyze(google)).description).toBe("Two squares.");
  expect([await isCached(), await reasons()]).toEqual([true, ["motion"]]);

  answer = { description: "A square.", subject_boxes: boxes(50) };
  await analyze(google);
  expect(await reasons()).toEqual(["subject"]);
  expect((await analyze({ "x-vision-provider": "local" })).description).toStartWith("A wide video");
  expect(await reasons()).toEqual(["motion"]);
});

test("a scene whose file was replaced follows no boxes of the file before", async () => {
  answer = { description: "A square.", subject_boxes: boxes(50) };
  await analyze(google);
  expect(await reasons()).toEqual(["subject"]);
  const other = await draw(join(folder, "other.mp4"), drawing.replace("black", "0x101010"), "-c:v", "libx264");
  await work.scene(0, new File([await Bun.file(other).bytes()], "other.mp4", { type: "video/mp4" }));
  expect(await reasons()).toEqual(["motion"]);
});

import { afterAll, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { draw, lumaFrames } from "../../support/media/draw-media.ts";
import { ffmpegs, temporaryFolder } from "../../support/media/ffmpeg.ts";
import { sharedService } from "../../support/service.ts";
import { measuredReport, newWork, requireJson, saveResponse } from "../../support/work-videos.ts";

const service = await sharedService();
const ann = await service.register("Ann");
const folder = await temporaryFolder();
const [ffmpeg] = ffmpegs();

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** A white square stands at the left; after a cut to another ground, at the right. */
const square = (left: number, ground: string) =>
  `color=${ground}:s=160x90:r=10:d=0.5,drawbox=x=${left}:y=35:w=20:h=20:color=white:t=fill`;
const drawing = `${square(4, "0x203040")}[a];${square(136, "0x406010")}[b];[a][b]concat=n=2:v=1:a=0`;
const work = await newWork(ann, { name: "Film" });
const path = await draw(join(folder, "squares.mp4"), drawing, "-c:v", "libx264", "-qp", "0", "-pix_fmt", "yuv420p");
await work.scene(0, new File([await Bun.file(path).bytes()], "squares.mp4", { type: "video/mp4" }));

const size = { width: 90, height: 160 };
const request = (focus: unknown, options: object = {}) => ({
  projectId: work.projectId,
  workId: work.workId,
  options: { ...size, fps: 10, ...options },
  clips: [{ sceneIndex: 0, position: 0, end: 1, fit: "cover", focus }],
});

const validate = (body: object) => measuredReport(async () => ann.json("POST", "/api/export/validate", body));

/** Whether each frame shows the square. */
const sights = async (body: object, { width, height } = size) => {
  const saved = await saveResponse(folder, await ann.json("POST", "/api/export", body));
  const frames = await lumaFrames(ffmpeg!, saved, { width, height });
  return frames.map(({ levels }) => Math.max(...levels) > 200);
};

test("auto keeps the subject in sight on both sides of a cut, in drafts too, and a frame shows what the export shows", async () => {
  const always = Array(10).fill(true);
  expect(await sights(request(undefined))).toEqual(Array(10).fill(false));
  expect(await sights(request("auto"))).toEqual(always);
  const half = { width: 46, height: 80 };
  expect(await sights(request("auto", { quality: "draft" }), half)).toEqual(always);

  const { segments } = await validate(request("auto"));
  expect(segments.cached).toBe(segments.total);
});

test("timelines for other editors say that their frame does not follow the subject", async () => {
  await sights(request("auto"));
  const { exports } = await requireJson(ann.request("/api/exports?limit=1"));
  for (const format of ["otio", "fcpxml", "edl"]) {
    const timeline = await ann.request(`/api/exports/${exports[0].id}/timeline.${format}`);
    expect(await timeline.text()).toContain("The frame does not follow the subject of a clip");
  }
});

test("validate says what is followed, and why", async () => {
  const { focus, warnings } = await validate(request("auto"));
  expect(focus).toMatchObject([
    {
      path: "clips.0.focus",
      parts: [
        { position: 0, end: 0.5, reason: "detail" },
        { position: 0.5, end: 1, reason: "detail" },
      ],
    },
  ]);
  const [left, right] = focus[0].parts;
  expect([left.from.x < 0.25, right.from.x > 0.75]).toEqual([true, true]);
  expect(warnings.map(({ code }: { code: string }) => code)).not.toContain("focus_unknown");
  expect(await validate(request({ x: 0.5, y: 0.5 }))).not.toHaveProperty("focus");
});

test("another word than auto is an error of the field", async () => {
  const response = await ann.json("POST", "/api/export", request("face"));
  expect([response.status, (await response.json()).details[0].path]).toEqual([400, "clips.0.focus"]);
});

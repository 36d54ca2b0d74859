import { afterAll, describe, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { draw, lumaFrames } from "../../support/media/draw-media.ts";
import { ffmpegs, temporaryFolder } from "../../support/media/ffmpeg.ts";
import { sharedService } from "../../support/service.ts";
import { newWork, saveResponse } from "../../support/work-videos.ts";

const service = await sharedService();
const ann = await service.register("Ann");
const folder = await temporaryFolder();
const [ffmpeg] = ffmpegs();

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** Half a second of a gray ramp with a white bar at three quarters of the width. */
const drawing =
  "color=black:s=320x180:r=10:d=0.5,format=yuv420p,geq=lum='if(between(X,236,243),235,16+X/4)':cb=128:cr=128";
const work = await newWork(ann, { name: "Film" });
const path = await draw(join(folder, "ramp.mp4"), drawing, "-c:v", "libx264", "-qp", "0");
await work.scene(0, new File([await Bun.file(path).bytes()], "ramp.mp4", { type: "video/mp4" }));

const request = (options: object, clip: object = {}) => ({
  projectId: work.projectId,
  workId: work.workId,
  options: { width: 160, height: 120, fps: 10, ...options },
  clips: [{ sceneIndex: 0, position: 0, end: 0.5, ...clip }],
  texts: [{ text: "■", position: 0, end: 0.5, fontSize: 40, centerX: 30, centerY: 20, background: "white" }],
});

const exportFrames = async (body: object, size: { width: number; height: number }) =>
  lumaFrames(ffmpeg!, await saveResponse(folder, await ann.json("POST", "/api/export", body)), size);

describe("the quality", () => {
  test("draft gives the same video at half the width and height", async () => {
    const whole = await exportFrames(request({ quality: "high" }), { width: 160, height: 120 });
    const half = await exportFrames(request({ quality: "draft" }), { width: 80, height: 60 });
    expect([whole.length, half.length]).toEqual([5, 5]);
    const differences = Array.from({ length: 80 * 60 }, (_, index) => {
      const x = index % 80;
      const y = Math.floor(index / 80);
      const four = [0, 1].flatMap((dx) => [0, 1].map((dy) => whole[2]!.levels[(2 * y + dy) * 160 + 2 * x + dx]!));
      return Math.abs(four.reduce((sum, level) => sum + level, 0) / 4 - half[2]!.levels[index]!);
    });
    expect(differences.reduce((sum, each) => sum + each, 0) / differences.length).toBeLessThan(4);
  });

  test("does not change the H.264 profile", async () => {
    for (const quality of ["draft", "standard", "high"]) {
      const path = await saveResponse(folder, await ann.json("POST", "/api/export", request({ quality })));
      const bytes = Buffer.from(await Bun.file(path).bytes());
      // the H.264 profile in the track's header; 100 is High
      expect([quality, bytes[bytes.indexOf("avcC") + 5]]).toEqual([quality, 100]);
    }
  });
});

test("a clip with the fit cover shows its focus", async () => {
  const size = { width: 64, height: 120 };
  const brightest = async (focus?: object) => {
    const { texts: _, ...body } = request(size, { fit: "cover", focus });
    const [frame] = await exportFrames(body, size);
    const row = frame!.levels.subarray(60 * 64, 61 * 64);
    return Math.max(...row) > 200 ? row.indexOf(Math.max(...row)) : undefined;
  };
  expect(await brightest()).toBeUndefined();
  expect(Math.abs((await brightest({ x: 0.75, y: 0.5 }))! - 32)).toBeLessThan(5);
});

test("a focus outside the frame gives 400", async () => {
  const response = await ann.json("POST", "/api/export", request({}, { focus: { x: 1.5, y: 0 } }));
  expect([response.status, (await response.json()).details[0].path]).toEqual([400, "clips.0.focus.x"]);
});

describe("several targets", () => {
  /** Requests an export and returns its final state. */
  async function exportToEnd(body: object) {
    const { id } = await (await ann.json("POST", "/api/exports", body)).json();
    await (await ann.request(`/api/exports/${id}/events`)).text();
    return (await ann.request(`/api/exports/${id}`)).json();
  }
  const targets = ["9:16", "1:1", "16:9", "4:5"];

  test("give one video each, whose frames keep the shorter side", async () => {
    const done = await exportToEnd(request({ width: 64, height: 48, targets }, { fit: "blur" }));
    expect(done).toMatchObject({ status: "done", frames: 20, framesDone: 20, url: done.files[0].url });
    expect(done.files.map(({ target, width, height }: Record<string, unknown>) => [target, width, height])).toEqual([
      ["9:16", 48, 86],
      ["1:1", 48, 48],
      ["16:9", 86, 48],
      ["4:5", 48, 60],
    ]);
    for (const { url, size, width, height } of done.files) {
      const path = await saveResponse(folder, await ann.request(url));
      expect([Bun.file(path).size, (await lumaFrames(ffmpeg!, path, { width, height })).length]).toEqual([size, 5]);
    }
  });

  test("give the same video together and alone", async () => {
    const together = await exportToEnd(request({ targets: ["1:1", "9:16"] }, { fit: "cover" }));
    const alone = await exportToEnd(request({ targets: ["9:16"] }, { fit: "cover" }));
    const [first, second] = await Promise.all(
      [together.files[1], alone.files[0]].map(async ({ url }) => (await ann.request(url)).bytes()),
    );
    expect(Buffer.compare(first!, second!)).toBe(0);
  });

  test("are downloaded by name; the default is the first", async () => {
    const { id } = await exportToEnd(request({ targets: ["1:1", "4:5"] }));
    const download = (query: string) => ann.request(`/api/exports/${id}/file${query}`);
    const bytes = async (query: string) => Bun.hash(await (await download(query)).bytes());
    expect(await bytes("")).toBe(await bytes("?target=1:1"));
    expect(await bytes("")).not.toBe(await bytes("?target=4:5"));
    expect((await download("?target=4%3A5")).headers.get("content-disposition")).toBe(
      'inline; filename="Film 4x5.mp4"',
    );
    expect([(await download("?target=16:9")).status, (await download("?target=2:1")).status]).toEqual([404, 400]);
  });

  test.each([[["1:1", "1:1"]], [[]], [["2:1"]]])("must not be %p", async (wrong) => {
    expect((await ann.json("POST", "/api/exports", request({ targets: wrong }))).status).toBe(400);
  });

  test("need an asynchronous export", async () => {
    const response = await ann.json("POST", "/api/export", request({ targets: ["1:1"] }));
    expect([response.status, (await response.json()).details[0].path]).toEqual([400, "options.targets"]);
    const headers = { prefer: "respond-async" };
    expect((await ann.json("POST", "/api/export", request({ targets: ["1:1"] }), headers)).status).toBe(202);
  });

  test("need an asynchronous export even if they come from the work's editor", async () => {
    const { projectId, workId } = work;
    const editorState = {
      editorData: { videoTrack: [{ id: "a", start: 0, end: 0.5 }], textTrack: [], imageTrack: [], audioTrack: [] },
      exportSettings: { width: 160, height: 120, fps: 10, targets: ["1:1", "4:5"] },
    };
    const saving = await ann.json("PUT", `/api/projects/${projectId}/works/${workId}`, { editorState });
    const response = await ann.json("POST", "/api/export", { projectId, workId });
    expect([saving.status, response.status, (await response.json()).details[0].path]).toEqual([
      200,
      400,
      "options.targets",
    ]);
  });
});

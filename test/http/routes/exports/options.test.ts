import { afterAll, describe, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { ffmpegs, temporaryFolder } from "../../../helpers/ffmpeg.ts";
import { draw, lumaFrames, soundSamples } from "../../../helpers/media.ts";
import { testService } from "../../../helpers/service.ts";
import { newWork, saved } from "../../../helpers/work-films.ts";

const service = await testService();
const ann = await service.register("Ann");
const folder = await temporaryFolder();
const [ffmpeg] = ffmpegs();

afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

/** A second of a gray ramp with a white bar that stands at three quarters of the width. */
const drawing =
  "color=black:s=320x180:r=30:d=1,format=yuv420p,geq=lum='if(between(X,236,243),235,16+X/4)':cb=128:cr=128";
const film = await newWork(ann, { name: "Film" });
const path = await draw(join(folder, "ramp.mp4"), drawing, "-c:v", "libx264", "-qp", "0");
await film.scene(0, new File([await Bun.file(path).bytes()], "ramp.mp4", { type: "video/mp4" }));

const order = (options: object, clip: object = {}) => ({
  ...{ projectId: film.projectId, workId: film.workId, options: { width: 160, height: 120, fps: 10, ...options } },
  clips: [{ sceneIndex: 0, position: 0, end: 0.5, ...clip }],
  texts: [{ text: "■", position: 0, end: 0.5, fontSize: 40, centerX: 30, centerY: 20, background: "white" }],
});

const exported = async (body: object, size: { width: number; height: number }) =>
  lumaFrames(ffmpeg!, await saved(folder, await ann.json("POST", "/api/export", body)), size);

describe("the quality", () => {
  test("draft is the same picture at half its size", async () => {
    const [whole, half] = [
      await exported(order({ quality: "high" }), { width: 160, height: 120 }),
      await exported(order({ quality: "draft" }), { width: 80, height: 60 }),
    ];
    expect([whole.length, half.length]).toEqual([5, 5]);
    const differences = Array.from({ length: 80 * 60 }, (_, index) => {
      const [x, y] = [index % 80, Math.floor(index / 80)];
      const four = [0, 1].flatMap((dx) => [0, 1].map((dy) => whole[2]!.levels[(2 * y + dy) * 160 + 2 * x + dx]!));
      return Math.abs(four.reduce((sum, level) => sum + level, 0) / 4 - half[2]!.levels[index]!);
    });
    expect(differences.reduce((sum, each) => sum + each, 0) / differences.length).toBeLessThan(4);
  });

  test("of a film changes nothing of what it is", async () => {
    for (const quality of ["draft", "standard", "high"]) {
      const path = await saved(folder, await ann.json("POST", "/api/export", order({ quality })));
      const bytes = Buffer.from(await Bun.file(path).bytes());
      // the profile of H.264 that the header of the track names: 100 is High
      expect([quality, bytes[bytes.indexOf("avcC") + 5]]).toEqual([quality, 100]);
    }
  });
});

test("a clip that covers the frame shows its focus", async () => {
  const size = { width: 64, height: 120 };
  const brightest = async (focus?: object) => {
    const { texts: _, ...body } = order(size, { fit: "cover", focus });
    const [frame] = await exported(body, size);
    const row = frame!.levels.subarray(60 * 64, 61 * 64);
    return Math.max(...row) > 200 ? row.indexOf(Math.max(...row)) : undefined;
  };
  expect(await brightest()).toBeUndefined();
  expect(Math.abs((await brightest({ x: 0.75, y: 0.5 }))! - 32)).toBeLessThan(5);
});

test("a focus lies in the picture", async () => {
  const answer = await ann.json("POST", "/api/export", order({}, { focus: { x: 1.5, y: 0 } }));
  expect([answer.status, (await answer.json()).details[0].path]).toEqual([400, "clips.0.focus.x"]);
});

describe("several targets", () => {
  /** Orders an export and answers it as it is when it has ended. */
  async function ended(body: object) {
    const { id } = await (await ann.json("POST", "/api/exports", body)).json();
    await (await ann.request(`/api/exports/${id}/events`)).text();
    return (await ann.request(`/api/exports/${id}`)).json();
  }
  const targets = ["9:16", "1:1", "16:9", "4:5"];

  test("give one film each, of frames that keep the shorter side", async () => {
    const done = await ended(order({ targets }, { fit: "blur" }));
    expect(done).toMatchObject({ status: "done", frames: 20, framesDone: 20, url: done.files[0].url });
    expect(done.files.map(({ target, width, height }: Record<string, unknown>) => [target, width, height])).toEqual([
      ["9:16", 120, 214],
      ["1:1", 120, 120],
      ["16:9", 214, 120],
      ["4:5", 120, 150],
    ]);
    for (const { url, size, width, height } of done.files) {
      const path = await saved(folder, await ann.request(url));
      expect([Bun.file(path).size, (await lumaFrames(ffmpeg!, path, { width, height })).length]).toEqual([size, 5]);
    }
  });

  test("are made as each alone is", async () => {
    const together = await ended(order({ targets: ["1:1", "9:16"] }, { fit: "cover" }));
    const alone = await ended(order({ targets: ["9:16"] }, { fit: "cover" }));
    const [first, second] = await Promise.all(
      [together.files[1], alone.files[0]].map(async ({ url }) => (await ann.request(url)).bytes()),
    );
    expect(Buffer.compare(first!, second!)).toBe(0);
  });

  test("are fetched by name, the first one without", async () => {
    const { id } = await ended(order({ targets: ["1:1", "4:5"] }));
    const fetched = (query: string) => ann.request(`/api/exports/${id}/file${query}`);
    const bytes = async (query: string) => Bun.hash(await (await fetched(query)).bytes());
    expect(await bytes("")).toBe(await bytes("?target=1:1"));
    expect(await bytes("")).not.toBe(await bytes("?target=4:5"));
    expect((await fetched("?target=4%3A5")).headers.get("content-disposition")).toBe('inline; filename="Film 4x5.mp4"');
    expect([(await fetched("?target=16:9")).status, (await fetched("?target=2:1")).status]).toEqual([404, 400]);
  });

  test.each([[["1:1", "1:1"]], [[]], [["2:1"]]])("cannot be %p", async (wrong) => {
    expect((await ann.json("POST", "/api/exports", order({ targets: wrong }))).status).toBe(400);
  });

  test("are not for who waits for one film", async () => {
    const answer = await ann.json("POST", "/api/export", order({ targets: ["1:1"] }));
    expect([answer.status, (await answer.json()).details[0].path]).toEqual([400, "options.targets"]);
    const headers = { prefer: "respond-async" };
    expect((await ann.json("POST", "/api/export", order({ targets: ["1:1"] }), headers)).status).toBe(202);
  });

  test("are not for him either when the work's editor has saved them", async () => {
    const { projectId, workId } = film;
    const editorState = {
      editorData: { videoTrack: [{ id: "a", start: 0, end: 0.5 }], textTrack: [], imageTrack: [], audioTrack: [] },
      exportSettings: { width: 160, height: 120, fps: 10, targets: ["1:1", "4:5"] },
    };
    const saving = await ann.json("PUT", `/api/projects/${projectId}/works/${workId}`, { editorState });
    const answer = await ann.json("POST", "/api/export", { projectId, workId });
    expect([saving.status, answer.status, (await answer.json()).details[0].path]).toEqual([
      200,
      400,
      "options.targets",
    ]);
  });
});

test("a film's sound is normalized and its music ducked when the request says so", async () => {
  const scored = await newWork(ann);
  const voice = "aevalsrc='lt(t,1)*0.1*sin(2*PI*2400*t)':s=48000:d=3";
  const talking = await draw(
    join(folder, "talking.mp4"),
    "color=black:s=64x36:r=10:d=3",
    ...["-f", "lavfi", "-i", voice, "-c:v", "libx264", "-c:a", "aac"],
  );
  await scored.scene(0, new File([await Bun.file(talking).bytes()], "talking.mp4", { type: "video/mp4" }));
  const tune = await draw(join(folder, "tune.wav"), "aevalsrc='0.05*sin(2*PI*480*t)':s=48000:d=3");
  await scored.audio(new File([await Bun.file(tune).bytes()], "tune.wav", { type: "audio/wav" }));

  const heard = async (audio: object) => {
    const { projectId, workId } = scored;
    const clips = [{ sceneIndex: 0, position: 0, end: 3 }];
    const body = { projectId, workId, clips, audio, options: { width: 64, height: 36, fps: 10 } };
    const path = await saved(folder, await ann.json("POST", "/api/export", body));
    const left = (await soundSamples(ffmpeg!, path)).filter((_, index) => index % 2 === 0);
    const toneAt = (seconds: number) => {
      const part = left.subarray(seconds * 48_000, (seconds + 0.5) * 48_000);
      const turn = (2 * Math.PI * 480) / 48_000;
      return Math.abs(part.reduce((sum, level, index) => sum + level * Math.sin(turn * index), 0));
    };
    return { rise: toneAt(2.4) / toneAt(0.4), loud: left.reduce((most, level) => Math.max(most, Math.abs(level)), 0) };
  };

  const [plain, changed] = [await heard({}), await heard({ duck: true, normalize: true })];
  expect(plain.rise).toBeLessThan(1.2);
  expect(changed.rise).toBeGreaterThan(2.8);
  expect(changed.loud / plain.loud).toBeGreaterThan(1.3);
});

import { afterAll, beforeAll, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { loadImage } from "@napi-rs/canvas";
import { draw, drawNumbers, lumaFrames, numberOn, soundSamples } from "../../support/media/draw-media.ts";
import { temporaryFolder, testedFfmpegs } from "../../support/media/ffmpeg.ts";
import { pixelsOf } from "../../support/media/rgb.ts";
import { testService } from "../../support/service.ts";
import { png } from "../../support/uploads.ts";
import { newWork, requireJson, saveResponse } from "../../support/work-videos.ts";

const [ffmpeg] = testedFfmpegs;
const service = await testService();
const ann = await service.register("Ann");
const folder = await temporaryFolder();
const work = await newWork(ann, { name: "Film" });
const { projectId, workId } = work;
const options = { width: 64, height: 36, fps: 10 };
let assetId: string;
let picture: string;

/** Red with a sound for a second, then blue and silent for a second. */
const drawing = [
  "color=red:s=64x36:r=10:d=1[red];color=blue:s=64x36:r=10:d=1[blue];[red][blue]concat,format=yuv420p[out0]",
  "aevalsrc='0.2*sin(2*PI*440*t)*lt(t,1)':s=48000:d=2[out1]",
].join(";");

const videoOf = async (name: string, source: string) => {
  const path = await draw(`${folder}/${name}.mp4`, source, "-c:v", "libx264", "-c:a", "aac");
  return new File([await Bun.file(path).bytes()], `${name}.mp4`, { type: "video/mp4" });
};

beforeAll(async () => {
  const file = await videoOf("colors", drawing);
  assetId = (await work.asset(file)).id;
  picture = (await work.asset(png(8, 8))).id;
  await work.scene(0, await videoOf("green", "color=lime:s=64x36:r=10:d=2,format=yuv420p"));
});

afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

const film = (rest: object) => ({ projectId, workId, options, clips: [], ...rest });
const validate = (rest: object) => requireJson(ann.json("POST", "/api/export/validate", film(rest)));
const found = (list: readonly { path: string; code: string }[]) => list.map(({ path, code }) => [path, code]);
const video = (rest: object = {}) => ({ type: "video", assetId, ...rest });

/** The name of the color of a pixel of a frame. */
async function frameAt(seconds: number, rest: object) {
  const response = await ann.json("POST", `/api/export/frame?t=${seconds}`, film(rest));
  if (response.status !== 200) throw new Error(await response.text());
  const pixels = await pixelsOf(new Uint8Array(await response.arrayBuffer()));
  return (x: number, y: number) => colorOf([...pixels.subarray(3 * (y * 64 + x), 3 * (y * 64 + x) + 3)]);
}

const colors = { red: [254, 0, 0], blue: [0, 0, 254], lime: [0, 255, 0], black: [0, 0, 0], white: [255, 255, 255] };

const colorOf = (pixel: readonly number[]): string =>
  Object.entries(colors).find(([, wanted]) =>
    wanted.every((level, channel) => Math.abs(level - pixel[channel]!) < 24),
  )?.[0] ?? pixel.join();

async function samplesOf(rest: object): Promise<Float32Array> {
  const path = await saveResponse(folder, await ann.json("POST", "/api/export", film(rest)));
  return (await soundSamples(ffmpeg!, path)).filter((_, index) => index % 2 === 0);
}

/** True for each tenth of a second in which something is heard. */
const heardIn = (samples: Float32Array) =>
  Array.from({ length: Math.round(samples.length / 4800) }, (_, index) => {
    const middle = samples.subarray(index * 4800 + 1200, index * 4800 + 3600);
    return middle.some((level) => Math.abs(level) > 0.03) ? "#" : ".";
  }).join("");

test("a video is shown at its time, from where it is cut, over a clip and in a group", async () => {
  const request = {
    clips: [{ sceneIndex: 0, position: 0, end: 2 }],
    layers: [
      video({ position: 0.5, cutFrom: 0.5, width: 20, x: 2, y: 2 }),
      { type: "group", position: 1, speed: 2, layers: [video({ position: 0.4, width: 20, x: 40, y: 2 })] },
    ],
  };
  const before = await frameAt(0.4, request);
  expect([before(4, 4), before(60, 30)]).toEqual(["lime", "lime"]);
  const red = await frameAt(0.9, request);
  expect([red(4, 4), red(20, 11), red(4, 16), red(50, 6)]).toEqual(["red", "red", "lime", "lime"]);
  const blue = await frameAt(1.1, request);
  expect([blue(4, 4), blue(50, 6)]).toEqual(["blue", "lime"]);
  expect((await frameAt(1.6, request))(50, 6)).toBe("red");
  expect((await frameAt(1.8, request))(50, 6)).toBe("blue");
});

test("a video plays faster, backwards and again, and its speed follows keyframes", async () => {
  const colorsOf = async (layer: object, ...times: readonly number[]) => {
    const request = { layers: [video(layer)], options: { ...options, duration: 2 } };
    return await Promise.all(times.map(async (time) => (await frameAt(time, request))(32, 18)));
  };
  expect(await colorsOf({ speed: 2 }, 0.3, 0.7, 1.5)).toEqual(["red", "blue", "blue"]);
  expect(await colorsOf({ speed: 2, repeat: true }, 0.3, 0.7, 1.2)).toEqual(["red", "blue", "red"]);
  expect(await colorsOf({ reverse: true }, 0.3, 1.5)).toEqual(["blue", "red"]);
  const speed = [
    { at: 0, value: 0 },
    { at: 0.5, value: 0 },
    { at: 0.5, value: 4 },
  ];
  expect(await colorsOf({ keyframes: { speed } }, 0.4, 0.7, 0.8)).toEqual(["red", "red", "blue"]);
});

test("a video fills its box, and a color of it becomes transparent", async () => {
  const boxed = { width: 20, height: 36, x: 0, y: 0, end: 1 };
  expect((await frameAt(0.5, { layers: [video(boxed)] }))(10, 2)).toBe("black");
  expect((await frameAt(0.5, { layers: [video({ ...boxed, fit: "cover" })] }))(10, 2)).toBe("red");
  const keyed = await frameAt(0.5, {
    clips: [{ sceneIndex: 0, position: 0, end: 1 }],
    layers: [video({ chromaKey: { color: "red" } })],
  });
  expect(keyed(32, 18)).toBe("lime");
});

test("a video that stands still looks like a drawn one: rounded, keyed, cut by the frame, between pixels", async () => {
  const looks = [
    { width: 20, height: 20, x: 3, y: 5.5, fit: "cover", radius: 10 },
    { width: 31, height: 17, x: -7, y: 20, fit: "stretch", opacity: 0.5, zoom: 2 },
    { width: 30, height: 30, x: 10, y: 1, fit: "contain", mask: { shape: "ellipse", feather: 3 } },
    { width: 40, x: 10, y: 1, radius: 8, chromaKey: { color: "red" } },
    { width: 12, height: 30, x: 2, y: 2, fit: "cover", focus: { x: 0, y: 0 }, enter: { name: "fade", seconds: 0.2 } },
  ];
  const pictureOf = async (rotation: number) => {
    const layers = looks.map((look) => video({ ...look, cutFrom: 0.5, rotation }));
    const request = film({ clips: [{ sceneIndex: 0, position: 0, end: 1 }], layers });
    const response = await ann.json("POST", "/api/export/frame?t=0.3", request);
    return await pixelsOf(new Uint8Array(await response.arrayBuffer()));
  };
  // a turn that no pixel shows: such a video is drawn frame by frame
  const [standing, drawn] = [await pictureOf(0), await pictureOf(1e-4)];
  const differences = standing.map((level, index) => Math.abs(level - drawn[index]!));
  expect(differences.reduce((sum, each) => sum + each, 0) / differences.length).toBeLessThan(2);
});

test("each frame of a film shows the frame of a video that stands still, also when it starts again", async () => {
  const path = await drawNumbers(`${folder}/numbers.mp4`, { first: 0, frames: 40 });
  const numbers = (await work.asset(new File([await Bun.file(path).bytes()], "numbers.mp4", { type: "video/mp4" }))).id;
  const layers = [video({ assetId: numbers, speed: 1.5, position: 0.3, cutFrom: 0.2, repeat: true, radius: 2 })];
  const request = film({ layers, options: { ...options, fps: 30, duration: 2 } });
  const output = await saveResponse(folder, await ann.json("POST", "/api/export", request));
  const shown = (await lumaFrames(ffmpeg!, output)).map(numberOn);
  // a round has the 34 frames from the cut on
  const expected = Array.from({ length: 60 }, (_, frame) => (frame < 9 ? 0 : 6 + Math.floor(((frame - 9) * 1.5) % 34)));
  expect(shown).toEqual(expected);
});

test("a scene's video and a URL of the project are layers as well", async () => {
  const byScene = { type: "video", sceneIndex: 0, width: 32, x: 0, y: 0, end: 1 };
  const byUrl = { type: "video", videoUrl: `/api/projects/${projectId}/assets/${assetId}`, width: 32, x: 32, y: 0 };
  const pixel = await frameAt(0.5, { layers: [byScene, byUrl] });
  expect([pixel(8, 8), pixel(40, 8)]).toEqual(["lime", "red"]);
});

test("a film of one video without an end is as long as that", async () => {
  expect(await validate({ layers: [video({ position: 1, speed: 2 })] })).toMatchObject({
    ok: true,
    durationSeconds: 2,
    warnings: [],
  });
  expect(await validate({ layers: [video({ repeat: true })] })).toMatchObject({
    ok: false,
    errors: [{ path: "clips", code: "validation_error" }],
  });
});

test("a video is heard at its time, at its speed, backwards and in each round", async () => {
  const duration = (seconds: number) => ({ ...options, duration: seconds });
  const heard = async (layer: object, seconds = 2) =>
    heardIn(await samplesOf({ layers: [layer], options: duration(seconds) }));
  expect(await heard(video({ position: 0.5 }))).toBe(".....##########.....");
  expect(await heard(video({ cutFrom: 0.8, end: 1 }))).toBe("##..................");
  expect(await heard(video({ speed: 2 }))).toBe("#####...............");
  expect(await heard(video({ speed: 2, repeat: true }))).toBe("#####.....#####.....");
  expect(await heard(video({ reverse: true }))).toBe("..........##########");
  expect(await heard(video({ volume: 0 }))).toBe("....................");
  const round = { type: "group", repeat: true, speed: 2, layers: [video({ position: 0.4, end: 1 })] };
  expect(await heard({ ...round, position: 0.2 }, 1.7)).toBe("....###..###..###");
  const speed = [
    { at: 0, value: 0 },
    { at: 0.5, value: 0 },
    { at: 0.5, value: 2 },
  ];
  expect(await heard(video({ position: 0.5, keyframes: { speed } }))).toBe("..........#####.....");
  const volume = [
    { at: 0, value: 0 },
    { at: 0.5, value: 1, easing: "step" },
  ];
  expect(await heard(video({ keyframes: { volume } }))).toBe(".....#####..........");
});

test("music is lowered under the sound of a video, as under that of a clip", async () => {
  const path = await draw(`${folder}/music.wav`, "aevalsrc='0.1*sin(2*PI*3000*t)':s=48000:d=3");
  const music = (await work.asset(new File([await Bun.file(path).bytes()], "m.wav", { type: "audio/wav" }))).id;
  const levelAt = async (duck: boolean) => {
    const samples = await samplesOf({
      layers: [video({ volume: 1 })],
      audio: { audioUrl: `/api/projects/${projectId}/assets/${music}`, duck, normalize: false },
      options: { ...options, duration: 2 },
    });
    // the video has no frequency of its own there
    const at = (start: number) => {
      const part = samples.subarray(start * 48_000, (start + 0.2) * 48_000);
      const [real, imaginary] = [Math.cos, Math.sin].map((wave) =>
        part.reduce((sum, level, index) => sum + level * wave((2 * Math.PI * 3000 * index) / 48_000), 0),
      );
      return Math.hypot(real!, imaginary!) / part.length;
    };
    return at(0.6) / at(1.8);
  };
  expect(await levelAt(false)).toBeCloseTo(1, 1);
  expect(await levelAt(true)).toBeLessThan(0.7);
});

test("what is wrong with a video is said with its path", async () => {
  const { errors } = await validate({
    layers: [
      video({ assetId: "asset_gone", end: 1 }),
      video({ assetId: picture }),
      { type: "video", sceneIndex: 7 },
      { type: "video", videoUrl: "https://example.com/a.mp4" },
      { type: "video", videoUrl: `/api/projects/${projectId}/assets/${picture}` },
      { type: "video", videoUrl: "/api/projects/proj_other/assets/asset_other" },
    ],
  });
  expect(found(errors)).toEqual([
    ["layers.0.assetId", "asset_missing"],
    ["layers.1.assetId", "asset_wrong_type"],
    ["layers.2.sceneIndex", "scene_video_missing"],
    ["layers.3.videoUrl", "validation_error"],
    ["layers.4.videoUrl", "asset_wrong_type"],
    ["layers.5.videoUrl", "asset_missing"],
  ]);
  const invalid = await validate({
    layers: [{ type: "video" }, video({ sceneIndex: 0 }), video({ speed: 11 }), video({ keyframes: { text: [] } })],
  });
  expect(found(invalid.errors)).toEqual([
    ["layers.0.assetId", "validation_error"],
    ["layers.1.sceneIndex", "validation_error"],
    ["layers.2.speed", "validation_error"],
    ["layers.3.keyframes.text", "validation_error"],
  ]);
});

test("a tenth video at once is refused, wherever it is", async () => {
  const several = (count: number, rest: object = {}) => Array.from({ length: count }, () => video({ end: 1, ...rest }));
  const refused = async (layers: readonly object[]) => found((await validate({ layers })).errors);
  expect(await refused(several(9))).toEqual([]);
  expect(await refused(several(10))).toEqual([["layers.9", "too_many_videos"]]);
  expect(await refused([...several(9), video({ position: 1, end: 2 })])).toEqual([]);
  const inGroup = (layers: readonly object[]) => [...several(8), { type: "group", end: 1, layers }];
  expect(await refused(inGroup(several(2)))).toEqual([["layers.8", "too_many_videos"]]);
  expect(await refused(inGroup([video({ end: 0.5 }), video({ position: 0.5 })]))).toEqual([]);
  const masked = [...several(9, { id: undefined }), video({ id: "mask", end: 1 })];
  const withMask = masked.with(0, video({ end: 1, mask: { layer: "mask" } }));
  expect(await refused(withMask)).toEqual([["layers.8", "too_many_videos"]]);
  const response = await ann.json("POST", "/api/export", film({ layers: several(10) }));
  expect([response.status, (await response.json()).code]).toEqual([422, "too_many_videos"]);
});

test("a source that ends early, or is enlarged, and a sound that is left out are warnings", async () => {
  const warned = async (layer: object, rest: object = {}) =>
    found((await validate({ layers: [video(layer)], ...rest })).warnings);
  expect(await warned({ end: 3 })).toEqual([["layers.0", "source_too_short"]]);
  expect(await warned({ end: 3, repeat: true })).toEqual([]);
  expect(await warned({ end: 1, width: 200 })).toEqual([["layers.0", "source_upscaled"]]);
  const group = { type: "group", speed: 5, end: 1, layers: [video({ speed: 5, end: 1 })] };
  const { warnings } = await validate({ layers: [group] });
  expect(found(warnings)).toContainEqual(["layers.0.layers.0", "sound_left_out"]);
});

test("the videos of layers are ingredients of the film", async () => {
  const layers = [
    video({ end: 0.2 }),
    { type: "video", sceneIndex: 0 },
    video({ end: 0.1, mask: { assetId: picture } }),
  ];
  const { id } = await requireJson(ann.json("POST", "/api/exports", film({ layers })));
  for (;;) {
    const { status } = await requireJson(ann.request(`/api/exports/${id}`));
    if (status === "done") break;
    expect(status).not.toBe("failed");
    await Bun.sleep(50);
  }
  const { ingredients } = await requireJson(ann.request(`/api/exports/${id}/provenance`));
  const named = ingredients.map(({ role, sceneIndex }: Record<string, unknown>) => [role, sceneIndex]);
  expect(named).toEqual([
    ["clip", undefined],
    ["clip", 0],
    ["image", undefined],
  ]);
  const otio = await requireJson(ann.request(`/api/exports/${id}/timeline.otio`));
  expect(JSON.stringify(otio)).toContain("Videos beside the track");
});

test("a target is covered by what covers the frame, and keeps the proportions of the rest", async () => {
  const request = {
    clips: [{ sceneIndex: 0, position: 0, end: 1 }],
    options: { ...options, targets: ["9:16"] },
  };
  const shown = async (layer: object) => {
    const response = await ann.json(
      "POST",
      "/api/export/frame?t=0.5&target=9:16",
      film({ ...request, layers: [layer] }),
    );
    const bytes = new Uint8Array(await response.arrayBuffer());
    const { width, height } = await loadImage(bytes);
    const pixels = await pixelsOf(bytes);
    return (x: number, y: number) => {
      const at = 3 * (Math.floor(y * height) * width + Math.floor(x * width));
      return colorOf([...pixels.subarray(at, at + 3)]);
    };
  };
  const covering = await shown(video({ width: 64, height: 36 }));
  expect([covering(0.02, 0.02), covering(0.98, 0.98)]).toEqual(["red", "red"]);
  const small = await shown(video({ width: 32, height: 18 }));
  expect([small(0.5, 0.5), small(0.5, 0.98), small(0.02, 0.5)]).toEqual(["red", "black", "lime"]);
});

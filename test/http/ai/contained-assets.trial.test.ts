import { afterAll, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { createCanvas, type SKRSContext2D } from "@napi-rs/canvas";
import { jsonClient } from "../../support/json-client.ts";
import { ffmpegs, temporaryFolder } from "../../support/media/ffmpeg.ts";
import { type Rgb, rgbFrames } from "../../support/media/rgb.ts";
import { workWithScenes } from "../../support/scene-works.ts";
import { sharedService } from "../../support/service.ts";
import { formOf } from "../../support/uploads.ts";
import { requireJson, saveResponse } from "../../support/work-videos.ts";

const service = await sharedService();
const ann = await service.register("Ann");
const api = jsonClient(ann);
const folder = await temporaryFolder();
const [ffmpeg] = ffmpegs();
const resolution = { width: 180, height: 320 };

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

type Rgba = readonly [red: number, green: number, blue: number];

async function picture(width: number, height: number, paint: (context: SKRSContext2D) => void): Promise<File> {
  const context = createCanvas(width, height).getContext("2d");
  paint(context);
  return new File([new Uint8Array(await context.canvas.encode("png"))], "picture.png", { type: "image/png" });
}

/** White, with a green and a blue edge at its sides. */
const photo = (width: number, height: number) =>
  picture(width, height, (context) => {
    for (const [color, from, to] of [
      ["white", 0, 1],
      ["#00ff00", 0, 0.1],
      ["#0000ff", 0.9, 1],
    ] as const) {
      context.fillStyle = color;
      context.fillRect(width * from, 0, width * (to - from), height);
    }
  });

const whiteLogo = (width: number, height: number) =>
  picture(width, height, (context) => {
    context.fillStyle = "white";
    context.fillRect(0, 0, width / 4, height);
    context.fillRect((width * 3) / 4, 0, width / 4, height);
  });

const scene = { duration_seconds: 0.5, image_prompt: "A cup", negative_prompt: "", video_prompt: "Push in" };

/** The response for a scene that shows a picture itself, and the frames of its video. */
async function shown(file: File, styleGuide: object = {}) {
  const { base, projectId } = await workWithScenes(ann, { scenes: [scene], assetUsageMode: "direct", resolution });
  await api("PUT", `/api/projects/${projectId}`, { styleGuide });
  const form = { method: "POST", body: formOf({ file }) };
  const { id } = await requireJson(ann.request(`/api/projects/${projectId}/assets`, form));
  await api("PUT", base, { selectedAssetIds: [id] });
  const headers = { "x-image-provider": "local", "x-video-provider": "local" };
  const { status, body } = await api("POST", `${base}/generate/scene/0`, undefined, headers);
  expect(status).toBe(200);
  const again = await api("POST", `${base}/generate/scene/0`, undefined, headers);
  expect(again.body).toEqual(body);
  const path = await saveResponse(folder, await ann.request(body.videoUrl));
  return { body, frames: await rgbFrames(ffmpeg!, path, resolution) };
}

const at = (frame: Rgb, x: number, y: number): Rgba => {
  const start = 3 * (y * resolution.width + x);
  return [frame[start]!, frame[start + 1]!, frame[start + 2]!];
};
const isNear = (color: Rgba, expected: Rgba) => color.every((level, index) => Math.abs(level - expected[index]!) < 40);

/** The first and the last column of the middle row that do not have the ground's color. */
function sidesOf(frame: Rgb, ground: Rgba) {
  const columns = Array.from({ length: resolution.width }, (_, x) => x);
  const others = columns.filter((x) => !isNear(at(frame, x, resolution.height / 2), ground));
  return [others[0]!, others.at(-1)!] as const;
}

test("a picture that would lose more than a quarter is shown whole, on a color of the palette", async () => {
  const { body, frames } = await shown(await photo(640, 360), { color_palette: ["#802040", "#f0f0f0"] });
  expect(body.contained).toBe("crop");
  for (const frame of [frames[0]!, frames.at(-1)!]) {
    expect(isNear(at(frame, 90, 20), [128, 32, 64])).toBe(true);
    const [left, right] = sidesOf(frame, [128, 32, 64]);
    expect(right - left + 1).toBeLessThanOrEqual(0.8 * resolution.width + 1);
    expect(right - left + 1).toBeGreaterThan(0.7 * resolution.width);
    expect(isNear(at(frame, left + 3, 160), [0, 255, 0])).toBe(true);
    expect(isNear(at(frame, right - 3, 160), [0, 0, 255])).toBe(true);
  }
});

test("a picture that loses less fills the frame", async () => {
  const { body, frames } = await shown(await photo(225, 320), { color_palette: ["#802040"] });
  expect(body).not.toHaveProperty("contained");
  expect(isNear(at(frames[0]!, 90, 5), [255, 255, 255])).toBe(true);
});

test("a transparent picture is shown on the brand's background, at most twice as large as it is", async () => {
  const palette = { primary: "#ffffff", background: "#204060" };
  const { body, frames } = await shown(await whiteLogo(24, 40), { brand: { palette }, color_palette: ["#ff0000"] });
  expect(body.contained).toBe("transparency");
  const last = frames.at(-1)!;
  const [left, right] = sidesOf(last, [32, 64, 96]);
  expect(right - left + 1).toBeLessThanOrEqual(49);
  expect(right - left + 1).toBeGreaterThan(40);
  expect(isNear(at(last, 90, 160), [32, 64, 96])).toBe(true);
});

test("without a palette, the ground is the picture itself, blurred, and no black", async () => {
  const { frames } = await shown(await photo(640, 360));
  for (const y of [5, 60, 260, 315]) expect(at(frames[0]!, 90, y).every((level) => level > 100)).toBe(true);
  const logo = await shown(await whiteLogo(100, 100));
  expect(logo.body.contained).toBe("transparency");
  expect(sidesOf(logo.frames[0]!, at(logo.frames[0]!, 90, 160))[0]).toBeGreaterThan(15);
});

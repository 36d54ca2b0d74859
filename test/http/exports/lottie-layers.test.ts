import { afterAll, expect, test } from "bun:test";
import {
  font,
  gradientFill,
  lottie,
  lottieBytes,
  movingSquare,
  redFill,
  square,
  words,
} from "../../support/media/lottie.ts";
import { pixelsOf } from "../../support/media/rgb.ts";
import { testService } from "../../support/service.ts";
import { newWork, requireJson } from "../../support/work-videos.ts";

const service = await testService();
const ann = await service.register("Ann");
const work = await newWork(ann);
const { projectId, workId } = work;

afterAll(() => service.close());

const upload = (json: Parameters<typeof lottieBytes>[0], name = "a.json") =>
  work.asset(new File([lottieBytes(json) as Uint8Array<ArrayBuffer>], name, { type: "application/json" }));

const options = { width: 100, height: 100, fps: 30 };
const film = (rest: object) => ({ projectId, workId, options, clips: [], ...rest });
const validate = (rest: object) => requireJson(ann.json("POST", "/api/export/validate", film(rest)));

async function frameAt(seconds: number, rest: object) {
  const response = await ann.json("POST", `/api/export/frame?t=${seconds}`, film(rest));
  if (response.status !== 200) throw new Error(await response.text());
  const pixels = await pixelsOf(new Uint8Array(await response.arrayBuffer()));
  return (x: number, y: number) =>
    [0, 1, 2].map((channel) => Math.round(pixels[3 * (y * options.width + x) + channel]! / 32));
}

const [black, red, green] = [
  [0, 0, 0],
  [8, 0, 0],
  [0, 8, 0],
];

test("an asset has its size and duration, and a thumbnail", async () => {
  const asset = await upload(lottie([square(redFill)]));
  expect(asset).toMatchObject({ type: "image", width: 100, height: 100, duration: 2 });
  const thumbnail = await ann.request(asset.thumbnail);
  expect([thumbnail.status, thumbnail.headers.get("content-type")]).toEqual([200, "image/webp"]);
});

test("a layer plays by its own frames, ends at its last one, and repeats", async () => {
  const { id: assetId } = await upload(lottie([movingSquare()]));
  const layer = { type: "lottie", assetId, end: 5 };
  const at = async (seconds: number, rest: object = {}) => {
    const pixel = await frameAt(seconds, { layers: [{ ...layer, ...rest }] });
    // video has one color for two pixels
    return 2 * Math.round([...Array(100).keys()].findIndex((x) => pixel(x, 50)[0]! > 4) / 2);
  };
  expect([await at(0), await at(1), await at(4), await at(0.5, { speed: 2 })]).toEqual([0, 30, 60, 30]);
  expect([await at(3, { repeat: true }), await at(0, { from: 15 }), await at(4, { to: 20 })]).toEqual([30, 16, 20]);
});

test("colors and words are replaced, and unknown text layers are warned of", async () => {
  const { id: assetId } = await upload(lottie([words("title", ""), square(gradientFill)], font));
  const layer = { type: "lottie", assetId, end: 2, colors: { red: "#0f0" }, texts: { other: "x" } };
  expect((await frameAt(0.5, { layers: [layer] }))(31, 40)).toEqual(green!);
  const { warnings } = await validate({ layers: [layer] });
  expect(warnings).toContainEqual({
    path: "layers.0",
    code: "lottie_feature_ignored",
    message: "The animation has no text layer other. It has: title.",
  });
});

test("it is turned, faded and masked as other layers are", async () => {
  const { id: assetId } = await upload(lottie([square(redFill)]));
  const pixel = await frameAt(0.5, {
    layers: [{ type: "lottie", assetId, end: 2, centerX: 25, scale: 0.5, opacity: 0.5, rotation: 45 }],
  });
  expect([pixel(75, 50), pixel(66, 41), pixel(50, 50)]).toEqual([[4, 0, 0], black!, black!]);
});

test("it stands still among the images", async () => {
  const { id: assetId } = await upload(lottie([square(redFill)]));
  const pixel = await frameAt(0.5, { images: [{ assetId, position: 0, end: 2 }] });
  expect([pixel(50, 50), pixel(10, 10)]).toEqual([red!, black!]);
});

test("other assets are no animation, and files from outside are refused", async () => {
  const outside = lottie([], { assets: [{ id: "i", u: "images/", p: "a.png", e: 0 }] });
  await expect(upload(outside)).rejects.toThrow("images/a.png");
});

import { expect, test } from "bun:test";
import type { ImageRequest, TextRequest } from "../../../../../src/domain/exports/request/layers/overlays.ts";
import { imageOverlay, textOverlay } from "../../../../../src/domain/exports/request/placement/overlays.ts";
import { ExportRequest } from "../../../../../src/domain/exports/request/schema.ts";
import type { Source } from "../../../../../src/engine/timeline/source.ts";

const bounds = { canvas: { width: 1080, height: 1920 }, rate: { num: 30, den: 1 }, frames: 90 };

const logo: Source = {
  file: "logo.png",
  hash: "0",
  facts: { kind: "image", container: "png", mimeType: "image/png", extension: "png", width: 400, height: 200 },
};

const parse = (rest: object) => ExportRequest.parse({ projectId: "p", workId: "w", ...rest });

const text = (fields: object): TextRequest =>
  parse({ texts: [{ text: "Hi", position: 0, end: 1, ...fields }] }).texts![0]!;

const image = (fields: object): ImageRequest =>
  parse({ images: [{ assetId: "asset_1", position: 0, end: 1, ...fields }] }).images![0]!;

const anchorOf = (fields: object) => {
  const picture = textOverlay(text(fields), undefined, bounds)?.content;
  return picture?.kind === "text" ? picture.anchor : undefined;
};

const boxOf = (fields: object) => {
  const picture = imageOverlay(image(fields), logo, bounds)?.content;
  return picture?.kind === "image" ? picture.box : undefined;
};

test("a text without a position is centred", () => {
  expect(anchorOf({})).toEqual({ at: "center", x: 540, y: 960 });
});

test("a text's centre takes precedence over its corner, and a missing coordinate is 0", () => {
  expect(anchorOf({ centerX: 10, x: 5, y: 5 })).toEqual({ at: "center", x: 550, y: 960 });
  expect(anchorOf({ y: 5 })).toEqual({ at: "top_left", x: 0, y: 5 });
});

test("an image's corner takes precedence over its centre", () => {
  expect(boxOf({ x: 5, centerX: 100 })).toEqual({ x: 5, y: 0, width: 400, height: 200 });
  expect(boxOf({ centerX: 100, centerY: -100 })).toEqual({ x: 440, y: 760, width: 400, height: 200 });
});

test("an image without a size keeps its own; with one side it keeps its proportions", () => {
  expect(boxOf({ x: 0 })).toMatchObject({ width: 400, height: 200 });
  expect(boxOf({ x: 0, width: 100 })).toMatchObject({ width: 100, height: 50 });
  expect(boxOf({ x: 0, height: 100 })).toMatchObject({ width: 200, height: 100 });
  expect(boxOf({ x: 0, width: 100, height: 100 })).toMatchObject({ width: 100, height: 100 });
});

test("an image is contained in its box unless it may be stretched", () => {
  const fitOf = (fields: object) => {
    const picture = imageOverlay(image(fields), logo, bounds)?.content;
    return picture?.kind === "image" ? picture.fit : undefined;
  };
  const fits = [{}, { maintainAspectRatio: null }, { maintainAspectRatio: true }, { maintainAspectRatio: false }];
  expect(fits.map(fitOf)).toEqual(["contain", "contain", "contain", "stretch"]);
});

test("an overlay is cut off at the end of the video, and left out if it starts later", () => {
  expect(textOverlay(text({ position: 2.5, end: 9 }), undefined, bounds)?.range).toEqual({ start: 75, end: 90 });
  expect(textOverlay(text({ position: 3, end: 9 }), undefined, bounds)).toBeUndefined();
});

test("an overlay shorter than a frame is visible on one frame", () => {
  expect(textOverlay(text({ position: 1, end: 1.001 }), undefined, bounds)?.range).toEqual({ start: 30, end: 31 });
});

test("an empty text draws nothing", () => {
  expect(textOverlay(text({ text: "" }), undefined, bounds)).toBeUndefined();
});

const styleOf = (fields: object) => {
  const picture = textOverlay(text(fields), undefined, bounds)?.content;
  return picture?.kind === "text" ? picture.style : undefined;
};

test("a stroke needs a width, a shadow any of its fields", () => {
  expect(styleOf({ strokeColor: "red" })?.stroke).toBeUndefined();
  expect(styleOf({ strokeColor: "red", strokeWidth: 3 })?.stroke).toEqual({
    color: { red: 255, green: 0, blue: 0, alpha: 1 },
    width: 3,
  });
  expect(styleOf({ shadowBlur: 4 })?.shadow).toMatchObject({ blur: 4, offsetX: 0 });
});

const widths: [object, number][] = [
  [{ centerX: 54 }, 864],
  [{ centerX: -120 }, 732],
  [{ centerX: -120, rotation: 45 }, 732],
  [{ centerX: 400 }, 540],
  [{ centerX: -5000 }, 540],
  [{ x: 0 }, 972],
  [{ x: -300 }, 972],
  [{ y: 10 }, 972],
  [{ x: 200 }, 826],
  [{ x: 900 }, 540],
  [{ centerX: 0, x: 900 }, 972],
  [{ centerX: 400, maxWidth: 700 }, 700],
];

test.each(widths)("a text at %j wraps so that it stays inside the frame", (fields, maxWidth) => {
  expect(styleOf(fields)?.maxWidth).toBeCloseTo(maxWidth, 6);
});

test("a text without a width of its own breaks no word that is narrower than 90 % of the frame", () => {
  expect(styleOf({ centerX: 400 })?.maxWordWidth).toBe(972);
  expect(styleOf({ maxWidth: 700 })?.maxWordWidth).toBeUndefined();
});

test("a text is bold and wraps at 90 % of the frame's width", () => {
  expect(styleOf({})).toMatchObject({ fontWeight: 700, maxWidth: 972 });
  expect(styleOf({ fontWeight: 400, maxWidth: 2000 })).toMatchObject({ fontWeight: 400, maxWidth: 2000 });
});

const soft = { color: { red: 0, green: 0, blue: 0, alpha: 0.6 }, blur: 12, offsetX: 0, offsetY: 4 };

const shadows: [string, object, object | undefined][] = [
  ["nothing else", {}, soft],
  ["a stroke of no width", { strokeColor: "red", strokeWidth: 0 }, soft],
  ["an invisible stroke", { strokeColor: "transparent", strokeWidth: 3 }, soft],
  ["an invisible background", { background: "transparent", padding: 9 }, soft],
  ["a stroke", { strokeWidth: 3 }, undefined],
  ["a background", { background: "rgb(0 0 0 / 0.2)" }, undefined],
  ["a transparent shadow", { shadowColor: "transparent" }, undefined],
  ["a shadow and a stroke", { shadowOffsetX: 2, strokeWidth: 3 }, { color: { alpha: 0.5 }, blur: 0, offsetX: 2 }],
];

test.each(shadows)("the shadow of a text with %s", (_, fields, expected) => {
  const shadow = styleOf({ fontSize: 100, ...fields })?.shadow;
  if (expected) expect(shadow).toMatchObject(expected);
  else expect(shadow).toBeUndefined();
});

import { expect, test } from "bun:test";
import fc from "fast-check";
import type { CompleteRequest } from "../../../../../src/domain/exports/request/fill-from-editor.ts";
import { placeOverlays } from "../../../../../src/domain/exports/request/place-overlays.ts";
import { textOverlay } from "../../../../../src/domain/exports/request/placement/overlays.ts";
import { ExportRequest } from "../../../../../src/domain/exports/request/schema.ts";
import type { GroupContent, Overlay } from "../../../../../src/engine/timeline/overlay.ts";
import type { Source } from "../../../../../src/engine/timeline/source.ts";

const canvas = { width: 100, height: 200 };
const bounds = { canvas, rate: { num: 10, den: 1 }, frames: 40 };
const rect = { type: "shape", shape: "rect", width: 10, height: 20 };

const picture: Source = {
  file: "picture.png",
  hash: "1",
  facts: { kind: "image", container: "png", mimeType: "image/png", extension: "png", width: 40, height: 20 },
};
const filesAt = (...paths: string[]) => new Map(paths.map((path) => [path, picture]));

function place(rest: object, files: ReadonlyMap<string, Source> = new Map()) {
  const request = ExportRequest.parse({ projectId: "p", workId: "w", clips: [], ...rest });
  const images = (request.images ?? []).map(() => picture);
  const sources = { images, fonts: [], files, language: "de" };
  // safe because the request has clips
  return placeOverlays(request as CompleteRequest, sources, bounds);
}

const placed = (rest: object, files?: ReadonlyMap<string, Source>): readonly Overlay[] =>
  place(rest, files).overlays.flatMap(({ overlay }) => overlay ?? []);

const only = (layer: object, files?: ReadonlyMap<string, Source>) => placed({ layers: [layer] }, files)[0]!;
const errorsOf = (rest: object) =>
  place(rest).errors.map(({ code, facts }) => [code, "issues" in facts ? facts.issues[0]?.path : facts]);

const boxOf = ({ content }: Overlay | GroupContent["layers"][number]) => ("box" in content ? content.box : undefined);
const childrenOf = ({ content }: Overlay) => (content as GroupContent).layers;

test("a shape is centered, or lies at its corner, and fills the frame by default", () => {
  expect(boxOf(only(rect))).toEqual({ x: 45, y: 90, width: 10, height: 20 });
  expect(boxOf(only({ ...rect, centerX: 5, centerY: -10 }))).toEqual({ x: 50, y: 80, width: 10, height: 20 });
  expect(boxOf(only({ ...rect, x: 1, y: 2 }))).toEqual({ x: 1, y: 2, width: 10, height: 20 });
  expect(boxOf(only({ type: "shape", shape: "rect" }))).toEqual({ x: 0, y: 0, ...canvas });
});

test("a shape is white, unless it has a stroke alone; a line has a stroke", () => {
  const white = { red: 255, green: 255, blue: 255, alpha: 1 };
  expect(only(rect).content).toMatchObject({ fill: white });
  expect(only({ ...rect, stroke: {} }).content).not.toHaveProperty("fill");
  const line = only({ ...rect, shape: "line" }).content;
  expect(line).toMatchObject({ stroke: { color: white, width: 4, cap: "butt", join: "miter" } });
  expect(line).not.toHaveProperty("fill");
});

test("a layer without times is visible in the whole film, and one after its end never", () => {
  expect(only(rect).range).toEqual({ start: 0, end: 40 });
  expect(only({ ...rect, position: 1, end: 2 }).range).toEqual({ start: 10, end: 20 });
  expect(placed({ layers: [{ ...rect, position: 4 }] })).toEqual([]);
});

test("a layer without effects and motion has neither field", () => {
  expect(Object.keys(only({ ...rect, blend: "normal" }))).not.toContain("effects");
  expect(Object.keys(only(rect))).not.toContain("motion");
});

test("motion starts between two frames, at the position of the layer", () => {
  const { motion } = only({ ...rect, position: 1.03, end: 3, enter: "fade" });
  expect(motion).toEqual({ lead: -0.03, seconds: 1.97, enter: { name: "fade", seconds: 0.6 } });
});

test("keyframes are in pixels of the frame and in seconds of the visible length", () => {
  const keyframes = {
    centerX: [
      { at: 0, value: -50 },
      { at: "25%", value: 50, easing: "out-back" },
    ],
    height: [{ at: 1, value: 0 }],
    fill: [{ at: 0, value: "red" }],
    opacity: [],
  };
  const { motion } = only({ ...rect, position: 2, end: 9, keyframes });
  expect(motion?.keyframes).toEqual({
    centerX: [
      { at: 0, value: 0, easing: "linear" },
      { at: 0.5, value: 100, easing: "out-back" },
    ],
    height: [{ at: 1, value: 0.01, easing: "linear" }],
    fill: [{ at: 0, value: { red: 255, green: 0, blue: 0, alpha: 1 }, easing: "linear" }],
  });
});

test("a keyframe before the one above it is an error with its path, once percentages are known", () => {
  const opacity = [
    { at: "50%", value: 0 },
    { at: 1.5, value: 1 },
  ];
  expect(errorsOf({ layers: [{ ...rect, keyframes: { opacity } }] })).toEqual([
    ["validation_error", "layers.0.keyframes.opacity.1.at"],
  ]);
  expect(errorsOf({ layers: [{ ...rect, end: 3, keyframes: { opacity } }] })).toEqual([]);
  const texts = [{ text: "x", position: 0, end: 4, keyframes: { opacity } }];
  expect(errorsOf({ texts })).toEqual([["validation_error", "texts.0.keyframes.opacity.1.at"]]);
});

test("a text is anchored as its keyframes are", () => {
  const anchorOf = (fields: object) => {
    const { content } = only({ type: "text", text: "x", ...fields });
    return content.kind === "text" ? content.anchor : undefined;
  };
  expect(anchorOf({ keyframes: { x: [{ at: 0, value: 5 }] } })).toEqual({ at: "top_left", x: 0, y: 0 });
  expect(anchorOf({ x: 7, keyframes: { centerY: [{ at: 0, value: 5 }] } })).toEqual({ at: "center", x: 50, y: 100 });
});

test("at one height layers lie over texts, texts over images", () => {
  const times = { position: 0, end: 1 };
  const order = place({
    layers: [{ ...rect, layer: 0 }, rect, { ...rect, layer: -1 }],
    texts: [{ text: "x", ...times, layer: 0 }],
    images: [{ assetId: "a", ...times }],
  });
  expect(order.overlays.map(({ path }) => path)).toEqual(["layers.2", "images.0", "texts.0", "layers.0", "layers.1"]);
});

test("the box of a group is the canvas of its layers, and its end is that of the last one", () => {
  const group = {
    type: "group",
    width: 40,
    height: 60,
    position: 1,
    speed: 2,
    layers: [
      { ...rect, end: 3 },
      { ...rect, x: 0, y: 0, end: 1 },
    ],
  };
  const overlay = only(group);
  expect(overlay.range).toEqual({ start: 10, end: 25 });
  expect(overlay.motion).toEqual({ lead: 0, seconds: 1.5 });
  expect(overlay.content).toMatchObject({ box: { x: 30, y: 70, width: 40, height: 60 }, speed: 2, seconds: 3 });
  expect(childrenOf(overlay).map(boxOf)).toEqual([
    { x: 15, y: 20, width: 10, height: 20 },
    { x: 0, y: 0, width: 10, height: 20 },
  ]);
  expect(childrenOf(overlay).map(({ start, end }) => [start, end])).toEqual([
    [0, 3],
    [0, 1],
  ]);
});

test("a group with an endless layer lasts as long as the film, on its own clock", () => {
  const overlay = only({ type: "group", position: 1, speed: 2, layers: [{ ...rect, end: 3 }, rect] });
  expect(overlay.range).toEqual({ start: 10, end: 40 });
  expect(childrenOf(overlay).map(({ end }) => end)).toEqual([3, 6]);
});

test("a group that repeats begins again after its last layer", () => {
  const overlay = only({ type: "group", repeat: true, layers: [{ ...rect, end: 0.5 }] });
  expect(overlay.range.end).toBe(40);
  expect(overlay.content).toMatchObject({ repeats: true, seconds: 0.5 });
});

test("a stagger delays the starts of a group's layers, and not their ends", () => {
  const layers = Array(3).fill({ ...rect, end: 1, enter: "fade" });
  const children = childrenOf(only({ type: "group", stagger: 0.4, layers }));
  expect(children.map(({ start, end, motion }) => [start, end, motion?.seconds])).toEqual([
    [0, 1, 1],
    [0.4, 1, 0.6],
    [0.8, 1, 0.2],
  ]);
});

test("a layer that masks another one is not shown itself", () => {
  const overlays = placed({
    layers: [
      { ...rect, mask: { layer: "words" } },
      { type: "text", id: "words", text: "x" },
    ],
  });
  expect(overlays).toHaveLength(1);
  expect(overlays[0]!.effects?.mask).toMatchObject({ kind: "layer", by: "alpha", layer: { content: { text: "x" } } });
  const image = { assetId: "a", position: 0, end: 1, mask: { layer: "hole" } };
  expect(placed({ images: [image], layers: [{ ...rect, id: "hole" }] })).toHaveLength(1);
});

test("a text that masks another layer has no shadow, unless it names one", () => {
  const shadowOf = (rest: object) => {
    const words = { type: "text", id: "words", text: "x", ...rest };
    const mask = placed({ layers: [{ ...rect, mask: { layer: "words" } }, words] })[0]!.effects?.mask;
    return mask?.kind === "layer" && mask.layer.content.kind === "text" ? mask.layer.content.style.shadow : "none";
  };
  expect(shadowOf({})).toBeUndefined();
  expect(shadowOf({ shadow: { blur: 3 } })).toMatchObject({ blur: 3 });
});

test("masks that form a circle, or name no layer of their list, are errors", () => {
  const circle = ["a", "b", "c"].map((id, index) => ({ ...rect, id, mask: { layer: ["b", "c", "a"][index] } }));
  expect(errorsOf({ layers: circle })).toEqual([["mask_cycle", { path: "layers.2.mask.layer", id: "a" }]]);
  expect(errorsOf({ layers: [{ ...rect, mask: { layer: "a" } }] })).toEqual([
    ["validation_error", "layers.0.mask.layer"],
  ]);
  const inner = { type: "group", layers: [{ ...rect, id: "inner" }] };
  expect(errorsOf({ layers: [{ ...rect, mask: { layer: "inner" } }, inner] })).toHaveLength(1);
});

test("the files of layers and of masks are found by their paths", () => {
  const layers = [
    { type: "group", layers: [{ type: "image", assetId: "a" }] },
    { ...rect, mask: { assetId: "a", by: "luma" } },
  ];
  const overlays = placed({ layers }, filesAt("layers.0.layers.0.assetId", "layers.1.mask.assetId"));
  expect(childrenOf(overlays[0]!)[0]?.content).toMatchObject({ kind: "image", source: picture });
  expect(overlays[1]!.effects?.mask).toMatchObject({ kind: "image", source: picture, by: "luma" });
});

test("spans are one text, and letters follow the rules of the language", () => {
  const spans = [{ text: "gro" }, { text: "ß stadt", color: "red" }];
  expect(only({ type: "text", spans, case: "upper" }).content).toMatchObject({ text: "GROSS STADT" });
  const { content } = only({ type: "text", spans, case: "title" });
  expect(content).toMatchObject({ text: "Groß Stadt", spans: [{ text: "Gro" }, { text: "ß Stadt" }] });
  expect(only({ type: "text", text: "i", case: "upper", language: "tr" }).content).toMatchObject({ text: "İ" });
  const dutch = { type: "text", text: "ijs in ijsland", case: "title", language: "nl" };
  expect(only(dutch).content).toMatchObject({ text: "IJs In IJsland" });
});

test("a number that counts is written in the language of the work", () => {
  expect(only({ type: "text", text: "1.000", enter: { name: "count", from: 10 } }).content).toMatchObject({
    language: "de",
  });
  expect(only({ type: "text", text: "1.000" }).content).not.toHaveProperty("language");
});

test("a text of the size auto fills its box", () => {
  const style = { maxWidth: 50, maxHeight: 20, fontSize: 90, minFontSize: 8 };
  const auto = { type: "text", text: "x", fontSize: "auto", width: 50, height: 20, min: 8, max: 90 };
  expect(only(auto).content).toMatchObject({ style });
});

test("layers that cover more than sixteen frames at once are an error that names the largest", () => {
  const full = { type: "shape", shape: "rect", rotation: 1 };
  const layers = (count: number, rest: object = {}) => [
    { ...rect, id: "small", rotation: 1 },
    ...Array.from({ length: count }, (_, index) => ({ ...full, id: `sky ${index}`, ...rest })),
  ];
  expect(errorsOf({ layers: layers(15) })).toEqual([]);
  expect(errorsOf({ layers: layers(16) })).toMatchObject([
    ["layers_too_large", { path: "layers.1", what: "the layer sky 0" }],
  ]);
  expect(errorsOf({ layers: layers(16, { width: 1, height: 1 }) })).toEqual([]);
  const after = layers(30).map((layer, index) => ({ ...layer, position: index < 15 ? 0 : 2, end: index < 15 ? 2 : 4 }));
  expect(errorsOf({ layers: after })).toEqual([]);
  expect(errorsOf({ layers: [{ type: "group", layers: layers(16) }] })).toHaveLength(1);
});

test("a layer that masks many is counted for each", () => {
  const inner = {
    type: "group",
    id: "mask",
    width: 1,
    height: 1,
    layers: Array(100).fill({ ...rect, width: 0, height: 0 }),
  };
  const masked = Array(400).fill({ ...rect, width: 0, height: 0, mask: { layer: "mask" } });
  expect(errorsOf({ layers: [inner, ...masked] })).toMatchObject([
    ["layers_too_large", { of: "layers", allowed: 2000 }],
  ]);
});

test("texts and images of today are not limited", () => {
  const images = Array(100).fill({ assetId: "a", position: 0, end: 4, width: 100, height: 200, rotation: 3 });
  expect(errorsOf({ images })).toEqual([]);
});

test("the ranges and leads of any layer agree with its times", () => {
  const times = fc.record({
    position: fc.double({ min: 0, max: 3.9, noNaN: true }),
    length: fc.double({ min: 0.001, max: 9, noNaN: true }),
  });
  fc.assert(
    fc.property(times, ({ position, length }) => {
      const overlay = only({ ...rect, position, end: position + length, loop: "pulse" });
      if (!overlay) return;
      const { range, motion } = overlay;
      expect(range.end).toBeGreaterThan(range.start);
      expect(Math.abs(motion!.lead)).toBeLessThan(0.051);
      expect(range.start / 10 - motion!.lead).toBeCloseTo(position, 8);
      expect(motion!.seconds).toBeCloseTo(Math.min(length, 4 - position), 8);
    }),
  );
});

test("a text without new motion keeps its older animations; beside new motion they are moves", () => {
  const bounds = { canvas: { width: 100, height: 200 }, rate: { num: 30, den: 1 }, frames: 90 };
  const text = { text: "x", position: 0, end: 3, animateIn: "slideup", radius: 8, background: "red" } as const;
  expect(textOverlay(text, undefined, bounds)).toMatchObject({ animateIn: "slideup" });
  expect(textOverlay(text, undefined, bounds)).not.toContainAnyKeys(["effects", "motion"]);
  expect(textOverlay({ ...text, scale: 2 }, undefined, bounds)).toMatchObject({
    animateIn: "none",
    motion: { enter: { name: "slide", seconds: 0.3, distance: 12 } },
  });
});

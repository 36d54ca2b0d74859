import { expect, test } from "bun:test";
import type { CompleteRequest } from "../../../../src/domain/exports/request/fill-from-editor.ts";
import { placeOverlays } from "../../../../src/domain/exports/request/place-overlays.ts";
import { ExportRequest } from "../../../../src/domain/exports/request/schema.ts";
import type { Overlay } from "../../../../src/engine/timeline/overlay.ts";
import { reframe } from "../../../../src/engine/timeline/reframe.ts";
import type { Source } from "../../../../src/engine/timeline/source.ts";
import { timeline } from "../../../support/media/timelines.ts";

const canvas = { width: 100, height: 200 };
const square = { width: 100, height: 100 };
const picture = {
  file: "picture.png",
  hash: "1",
  facts: { kind: "image", container: "png", mimeType: "image/png", extension: "png", width: 40, height: 20 },
} as const;

const parse = (rest: object) =>
  ExportRequest.safeParse({ projectId: "p", workId: "w", clips: [], options: { duration: 2 }, ...rest });

function shownOn(size: typeof canvas, rest: object, files = new Map<string, Source>()): readonly Overlay[] {
  const bounds = { canvas, rate: { num: 10, den: 1 }, frames: 20 };
  const sources = { images: [picture], fonts: [], language: "en", files };
  // safe because the request has clips
  const { overlays } = placeOverlays(parse(rest).data as CompleteRequest, sources, bounds);
  const visible = overlays.flatMap(({ overlay }) => overlay ?? []);
  return reframe(timeline([], { canvas, overlays: visible }), size).overlays;
}

const text = { text: "Two words", position: 0, end: 1, fontSize: 20, x: 5, y: 6 };

test("a text has its own place, size and lines in a target, in pixels of its frame", () => {
  const targets = { "1:1": { centerX: 10, centerY: -20, fontSize: 12, maxWidth: 50, text: "Two\nwords" } };
  const [tall] = shownOn(canvas, { texts: [{ ...text, targets }] });
  const [own] = shownOn(square, { texts: [{ ...text, targets }] });
  expect(tall!.content).toMatchObject({ text: "Two words", anchor: { at: "top_left", x: 5, y: 6 } });
  expect(own!.content).toMatchObject({
    ...{ text: "Two\nwords", anchor: { at: "center", x: 60, y: 30 } },
    style: { fontSize: 12, maxWidth: 50 },
  });
});

test("line breaks of earlier words are ignored, and spans keep their words", () => {
  const targets = { "1:1": { text: "Two\nwords" } };
  const linesOf = (fields: object) => shownOn(square, { texts: [{ ...text, ...fields, targets }] })[0]!.content;
  expect(linesOf({ text: "Other words" })).toMatchObject({ text: "Other words" });
  const spans = [{ text: "Two words", strike: true }];
  expect(linesOf({ text: undefined, spans })).toMatchObject({ spans: [{ text: "Two\nwords", strike: true }] });
  const parts = [{ text: "T" }, { text: "wo wor", underline: true }, { text: "ds" }];
  expect(linesOf({ spans: parts })).toMatchObject({
    text: "Two\nwords",
    spans: [{ text: "T" }, { text: "wo\nwor", underline: true }, { text: "ds" }],
  });
});

test("an image has its own box, and what is hidden in a target is shown in the others", () => {
  const image = { assetId: "a", position: 0, end: 1, targets: { "1:1": { x: 1, y: 2, width: 30, height: 30 } } };
  expect(shownOn(square, { images: [image] })[0]!.content).toMatchObject({
    box: { x: 1, y: 2, width: 30, height: 30 },
  });
  const hidden = { ...text, targets: { "1:1": { hidden: true } } };
  expect([canvas, square].map((size) => shownOn(size, { texts: [hidden] }).length)).toEqual([1, 0]);
});

test("an HTML layer has its own page, and a layer in a group its own place", () => {
  const card = { type: "html", html: "<p>tall</p>", targets: { "1:1": { html: "<p>square</p>", height: 50 } } };
  expect(shownOn(square, { layers: [card] })[0]!.content).toMatchObject({
    html: "<p>square</p>",
    box: { x: 0, y: 25, width: 100, height: 50 },
  });
  const shape = { type: "shape", shape: "rect", width: 10, height: 10, targets: { "1:1": { centerX: 7 } } };
  const [group] = shownOn(square, { layers: [{ type: "group", layers: [shape] }] });
  expect(group!.content).toMatchObject({ layers: [{ content: { box: { x: 52, y: 45 } } }] });
});

test("a layer that a target hides in a group leaves the others their files", () => {
  const hidden = { type: "image", assetId: "a", targets: { "1:1": { hidden: true } } };
  const layers = [{ type: "group", layers: [hidden, { type: "image", assetId: "b", width: 7 }] }];
  const files = new Map([["layers.0.layers.1.assetId", picture]]);
  const [group] = shownOn(square, { layers }, files);
  expect(group!.content).toMatchObject({ layers: [{ index: 1, content: { kind: "image", box: { width: 7 } } }] });
});

test.each([
  [{ texts: [{ ...text, targets: { "2:1": {} } }] }, "texts.0.targets"],
  [{ texts: [{ ...text, targets: { "1:1": { fontSize: -1 } } }] }, "texts.0.targets.1:1.fontSize"],
  [{ layers: [{ type: "html", html: "x", targets: { "1:1": { css: "{{x}}" } } }] }, "layers.0.targets.1:1.css"],
])("%j is refused", (rest, path) => {
  expect(parse(rest).error?.issues.map((issue) => issue.path.join("."))).toContain(path);
});

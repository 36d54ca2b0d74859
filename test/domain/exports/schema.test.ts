import { expect, test } from "bun:test";
import { ExportRequest } from "../../../src/domain/exports/schema.ts";

const clip = { sceneIndex: 0, position: 0, end: 1 };

const pathsOf = (rest: object) => {
  const read = ExportRequest.safeParse({ projectId: "p", workId: "w", clips: [clip], ...rest });
  return read.success ? [] : read.error.issues.map(({ path }) => path.join("."));
};

const refused: [path: string, rest: object][] = [
  ["clips", { clips: [] }],
  ["clips", { clips: Array(501).fill(clip) }],
  ["clips.0.end", { clips: [{ ...clip, end: 0 }] }],
  ["clips.0.end", { clips: [{ ...clip, end: 3600.1 }] }],
  ["clips.0.end", { clips: [{ ...clip, end: "1" }] }],
  ["clips.0.position", { clips: [{ ...clip, position: -1 }] }],
  ["clips.0.sceneIndex", { clips: [{ ...clip, sceneIndex: 0.5 }] }],
  ["clips.0.transition", { clips: [{ ...clip, transition: "spiral" }] }],
  ["clips.0.volume", { clips: [{ ...clip, volume: 4.1 }] }],
  ["texts.0.end", { texts: [{ text: "x", position: 2, end: 1 }] }],
  ["texts.0.fontColor", { texts: [{ text: "x", position: 0, end: 1, fontColor: "white,movie=/etc/passwd" }] }],
  ["texts.0.fontWeight", { texts: [{ text: "x", position: 0, end: 1, fontWeight: "1001" }] }],
  ["texts.0.text", { texts: [{ position: 0, end: 1 }] }],
  ["images.0.opacity", { images: [{ assetId: "a", position: 0, end: 1, opacity: 1.1 }] }],
  ["images.0.end", { images: [{ assetId: "a", position: 1, end: 1 }] }],
  ["audio.volume", { audio: { volume: -1 } }],
  ["options.width", { options: { width: 1081 } }],
  ["options.height", { options: { height: 14 } }],
  ["options.width", { options: { width: 4098 } }],
  ["options.fps", { options: { fps: 0.5 } }],
  ["options.fps", { options: { fps: 121 } }],
  ["options.quality", { options: { quality: "best" } }],
];

test.each(refused)("%s is named when it is wrong (%j)", (path, rest) => {
  expect(pathsOf(rest)).toEqual([path]);
});

test("an unknown transition is answered with the known ones", () => {
  const read = ExportRequest.safeParse({ projectId: "p", workId: "w", clips: [{ ...clip, transition: "spiral" }] });
  expect(read.error?.issues[0]?.message).toContain("circleopen");
});

test("null means the same as leaving a field out", () => {
  expect(
    pathsOf({ texts: null, audio: null, options: { width: null, fps: null }, clips: [{ ...clip, cutFrom: null }] }),
  ).toEqual([]);
});

test.each([
  ["bold", 700],
  ["normal", 400],
  ["semibold", 600],
  ["600", 600],
  ["1000", 1000],
  [250, 250],
] as const)("font weight %p means %p", (fontWeight, meant) => {
  const texts = [{ text: "x", position: 0, end: 1, fontWeight }];
  const read = ExportRequest.parse({ projectId: "p", workId: "w", clips: [clip], texts });
  expect(read.texts?.[0]?.fontWeight).toBe(meant);
});

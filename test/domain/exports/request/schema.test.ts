import { expect, test } from "bun:test";
import { ExportRequest } from "../../../../src/domain/exports/request/schema.ts";

const clip = { sceneIndex: 0, position: 0, end: 1 };

const invalidPaths = (rest: object) => {
  const parsed = ExportRequest.safeParse({ projectId: "p", workId: "w", clips: [clip], ...rest });
  return parsed.success ? [] : parsed.error.issues.map(({ path }) => path.join("."));
};

const invalid: [path: string, rest: object][] = [
  ["clips", { clips: Array(501).fill(clip) }],
  ["clips.0.end", { clips: [{ ...clip, end: 0 }] }],
  ["clips.0.end", { clips: [{ ...clip, end: 3600.1 }] }],
  ["clips.0.end", { clips: [{ ...clip, end: "1" }] }],
  ["clips.0.position", { clips: [{ ...clip, position: -1 }] }],
  ["clips.0.sceneIndex", { clips: [{ ...clip, sceneIndex: 0.5 }] }],
  ["clips.0.transition", { clips: [{ ...clip, transition: "spiral" }] }],
  ["clips.0.transitionAssetId", { clips: [{ ...clip, transition: "luma" }] }],
  ["clips.0.transitionAssetId", { clips: [{ ...clip, transition: "luma", transitionAssetId: null }] }],
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

test.each(invalid)("an error names the invalid field %s (%j)", (path, rest) => {
  expect(invalidPaths(rest)).toEqual([path]);
});

test("the error for an unknown transition lists the known ones", () => {
  const parsed = ExportRequest.safeParse({ projectId: "p", workId: "w", clips: [{ ...clip, transition: "spiral" }] });
  expect(parsed.error?.issues[0]?.message).toContain("circleopen");
});

test("null has the same meaning as a missing field", () => {
  expect(
    invalidPaths({
      texts: null,
      audio: null,
      options: { width: null, fps: null },
      clips: [{ ...clip, cutFrom: null }],
    }),
  ).toEqual([]);
});

test.each([
  ["bold", 700],
  ["normal", 400],
  ["semibold", 600],
  ["600", 600],
  ["1000", 1000],
  [250, 250],
] as const)("the font weight %p is %p", (fontWeight, expected) => {
  const texts = [{ text: "x", position: 0, end: 1, fontWeight }];
  const parsed = ExportRequest.parse({ projectId: "p", workId: "w", clips: [clip], texts });
  expect(parsed.texts?.[0]?.fontWeight).toBe(expected);
});

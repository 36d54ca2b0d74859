import { expect, test } from "bun:test";
import fc from "fast-check";
import {
  canChangeStatus,
  failGenerating,
  type GeneratedScene,
  type SceneFile,
  type SceneStatus,
  sceneStatuses,
  setSceneStatus,
  startGenerating,
  stopGenerating,
  withScene,
  withSceneFile,
} from "../../../src/domain/works/scene-state.ts";

const scene = (status: SceneStatus, more: Partial<GeneratedScene> = {}): GeneratedScene => ({
  sceneIndex: 0,
  status,
  ...more,
});

test.each<[from: SceneStatus, to: SceneStatus]>([
  ["pending", "generating_video"],
  ["pending", "error"],
  ["generating_image", "generating_video"],
  ["generating_video", "generating_image"],
  ["image_ready", "error"],
  ["done", "error"],
])("a scene cannot go from %s to %s", (from, to) => {
  expect(canChangeStatus(from, to)).toBe(false);
  expect(() => setSceneStatus(scene(from), to)).toThrow(`from ${from} to ${to}`);
});

test.each<[from: SceneStatus, to: SceneStatus]>([
  ["pending", "generating_image"],
  ["generating_image", "image_ready"],
  ["image_ready", "generating_video"],
  ["generating_video", "done"],
  ["generating_video", "error"],
  ["error", "generating_image"],
  ["done", "done"],
])("a scene can go from %s to %s", (from, to) => {
  expect(setSceneStatus(scene(from), to).status).toBe(to);
});

test("a new status clears the old error", () => {
  expect(setSceneStatus(scene("error", { error: "no luck" }), "generating_image")).toEqual(scene("generating_image"));
});

test("the files of a scene determine its status, regardless of the previous status", () => {
  const steps: readonly [SceneFile, string | undefined, SceneStatus][] = [
    ["image", "/i", "image_ready"],
    ["video", "/v", "done"],
    ["image", "/i2", "done"],
    ["video", undefined, "image_ready"],
    ["image", undefined, "pending"],
    ["video", "/v2", "done"],
    ["video", undefined, "pending"],
  ];
  let current = scene("pending");
  for (const [file, url, status] of steps) {
    current = withSceneFile(current, file, url);
    expect(current.status).toBe(status);
  }
  expect(current).toEqual(scene("pending"));
});

test("a file can be added or removed in every status", () => {
  const anyScene = fc.record({
    sceneIndex: fc.constant(0),
    status: fc.constantFrom(...sceneStatuses),
    imageUrl: fc.option(fc.constant("/i"), { nil: undefined }),
    videoUrl: fc.option(fc.constant("/v"), { nil: undefined }),
  });
  const anyChange = fc.tuple(fc.constantFrom<SceneFile>("image", "video"), fc.constantFrom("/new", undefined));
  fc.assert(
    fc.property(anyScene, anyChange, (before, [file, url]) => {
      const after = withSceneFile(before, file, url);
      expect(after[`${file}Url`]).toBe(url);
      expect(["pending", "image_ready", "done"]).toContain(after.status);
    }),
  );
});

const anyFiles = fc.record({
  imageUrl: fc.option(fc.constant("/i"), { nil: undefined }),
  videoUrl: fc.option(fc.constant("/v"), { nil: undefined }),
});

test("generation can start in every status, and ends with the status that the scene's files give or with an error", () => {
  const anyStatus = fc.constantFrom(...sceneStatuses);
  fc.assert(
    fc.property(anyStatus, anyFiles, fc.constantFrom<SceneFile>("image", "video"), (status, files, file) => {
      const begun = startGenerating(scene(status, files), file);
      expect(begun).toEqual(scene(`generating_${file}`, files));
      expect(["pending", "image_ready", "done"]).toContain(stopGenerating(begun).status);
      expect(failGenerating(begun, "no luck")).toEqual({ ...begun, status: "error", error: "no luck" });
    }),
  );
});

test("the end of a generation does not change a scene that has received its file", () => {
  const done = withSceneFile(startGenerating(scene("pending"), "video"), "video", "/v");
  expect(stopGenerating(done)).toBe(done);
  expect(failGenerating(done, "no luck")).toBe(done);
});

test("editing a missing scene adds it and all missing scenes before it, in order", () => {
  const later: GeneratedScene = { sceneIndex: 3, status: "done", videoUrl: "/v" };

  expect(withScene([later], 1, (found) => withSceneFile(found, "image", "/i"))).toEqual([
    { sceneIndex: 0, status: "pending" },
    { sceneIndex: 1, status: "image_ready", imageUrl: "/i" },
    later,
  ]);
});

import { expect, test } from "bun:test";
import fc from "fast-check";
import {
  beginScene,
  endScene,
  failScene,
  mayJump,
  moveScene,
  type SceneFile,
  withScene,
  withSceneFile,
} from "../../../src/domain/works/scene-state.ts";
import { type GeneratedScene, type SceneStatus, sceneStatuses } from "../../../src/domain/works/works.ts";

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
])("no scene goes from %s to %s", (from, to) => {
  expect(mayJump(from, to)).toBe(false);
  expect(() => moveScene(scene(from), to)).toThrow(`from ${from} to ${to}`);
});

test.each<[from: SceneStatus, to: SceneStatus]>([
  ["pending", "generating_image"],
  ["generating_image", "image_ready"],
  ["image_ready", "generating_video"],
  ["generating_video", "done"],
  ["generating_video", "error"],
  ["error", "generating_image"],
  ["done", "done"],
])("a scene goes from %s to %s", (from, to) => {
  expect(moveScene(scene(from), to).status).toBe(to);
});

test("an old error does not outlive the status it belongs to", () => {
  expect(moveScene(scene("error", { error: "no luck" }), "generating_image")).toEqual(scene("generating_image"));
});

test("what a scene has decides its status, whatever came before", () => {
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

test("a file may come or go at any time", () => {
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

test("something may be made for a scene whatever its status, and it ends as it was or with an error", () => {
  const anyStatus = fc.constantFrom(...sceneStatuses);
  fc.assert(
    fc.property(anyStatus, anyFiles, fc.constantFrom<SceneFile>("image", "video"), (status, files, file) => {
      const begun = beginScene(scene(status, files), file);
      expect(begun).toEqual(scene(`generating_${file}`, files));
      expect(["pending", "image_ready", "done"]).toContain(endScene(begun).status);
      expect(failScene(begun, "no luck")).toEqual({ ...begun, status: "error", error: "no luck" });
    }),
  );
});

test("a scene that was given its file meanwhile neither ends nor fails", () => {
  const done = withSceneFile(beginScene(scene("pending"), "video"), "video", "/v");
  expect(endScene(done)).toBe(done);
  expect(failScene(done, "no luck")).toBe(done);
});

test("a scene that is not there yet comes with those before it, in order", () => {
  const later: GeneratedScene = { sceneIndex: 3, status: "done", videoUrl: "/v" };

  expect(withScene([later], 1, (found) => withSceneFile(found, "image", "/i"))).toEqual([
    { sceneIndex: 0, status: "pending" },
    { sceneIndex: 1, status: "image_ready", imageUrl: "/i" },
    later,
  ]);
});

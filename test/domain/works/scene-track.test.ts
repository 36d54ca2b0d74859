import { expect, test } from "bun:test";
import type { WorkMedia } from "../../../src/domain/works/media.ts";
import { sceneTrack } from "../../../src/domain/works/scene-track.ts";
import type { ScenarioScene } from "../../../src/domain/works/works.ts";
import { aFile } from "../../storage/samples.ts";

const scene = (duration_seconds: number, scene_index = 0): ScenarioScene => ({
  ...{ scene_index, duration_seconds, transition: "cut" },
  ...{ image_prompt: "", negative_prompt: "", video_prompt: "" },
});

const media = (slot: WorkMedia["slot"], durationSeconds?: number): WorkMedia => ({
  slot,
  createdAt: 1,
  file: aFile(slot, {
    facts: {
      ...{ kind: "video", container: "mp4", mimeType: "video/mp4", extension: "mp4" },
      ...(durationSeconds !== undefined && { durationSeconds }),
    },
  }),
});

test("the scenes with media follow each other in order of place, each as long as its scenario says", () => {
  const scenes = [scene(2, 9), scene(3, 9), scene(0.5, 1)];
  const files = [
    media("scene/1/voice", 4),
    media("scene/2/image"),
    media("scene/0/video", 8),
    media("scene/0/image"),
    media("reference", 60),
  ];
  expect(sceneTrack(scenes, files)).toEqual([
    { id: "clip-0", start: 0, end: 2, sceneIndex: 0 },
    { id: "clip-2", start: 2, end: 2.5, sceneIndex: 2 },
  ]);
});

test("a scene without a duration is as long as its video, or five seconds", () => {
  const files = [
    media("scene/0/video", 1.5),
    media("scene/1/image"),
    media("scene/10/video"),
    media("scene/9/video", 4),
  ];
  expect(sceneTrack([], files)).toEqual([
    { id: "clip-0", start: 0, end: 1.5, sceneIndex: 0 },
    { id: "clip-1", start: 1.5, end: 6.5, sceneIndex: 1 },
    { id: "clip-9", start: 6.5, end: 10.5, sceneIndex: 9 },
    { id: "clip-10", start: 10.5, end: 15.5, sceneIndex: 10 },
  ]);
});

test("media of a scene that was removed from the scenario are not shown", () => {
  const files = [media("scene/0/video", 4), media("scene/1/video", 4)];
  expect(sceneTrack([scene(0)], files)).toEqual([{ id: "clip-0", start: 0, end: 4, sceneIndex: 0 }]);
});

test("without media of scenes the track is empty", () => {
  expect(sceneTrack([scene(2)], [media("reference", 9), media("audio", 9)])).toEqual([]);
});

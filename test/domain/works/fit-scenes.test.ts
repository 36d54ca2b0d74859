import { expect, test } from "bun:test";
import { completeEditorState, type EditorStateDraft } from "../../../src/domain/works/editor-state.ts";
import { fitScenes } from "../../../src/domain/works/fit-scenes.ts";
import type { ScenarioScene, Work } from "../../../src/domain/works/works.ts";

const scene = (duration_seconds: number): ScenarioScene => ({
  ...{ scene_index: 0, duration_seconds, transition: "cut" },
  ...{ image_prompt: "", negative_prompt: "", video_prompt: "" },
});
const clip = (sceneIndex: number, start: number, end: number) => ({ id: `clip-${sceneIndex}`, start, end, sceneIndex });

const fitted = (editor: EditorStateDraft) => {
  // safe because only scenes and the editor's state are read
  const editorState = completeEditorState(editor);
  const work = { scenes: [scene(2), scene(3)], generatedScenes: [], editorState } as unknown as Work;
  const fit = fitScenes(work, new Map([[1, 1.2341]]));
  return { seconds: fit.scenes.map(({ duration_seconds }) => duration_seconds), data: fit.editorState!.editorData };
};

test("a scene gets the length of its voice and a pause, and the clips and texts that show the scenes follow", () => {
  const text = { id: "t", start: 3.5, end: 5 };
  const { seconds, data } = fitted({
    editorData: { videoTrack: [clip(0, 0, 2), clip(1, 2, 5)], textTrack: [text] },
  });
  expect(seconds).toEqual([2, 1.64]);
  expect(data.videoTrack).toEqual([clip(0, 0, 2), clip(1, 2, 3.64)]);
  expect(data.textTrack).toEqual([{ ...text, start: 2.82, end: 3.64 }]);
});

test.each([
  ["are cut", [clip(0, 0, 1), clip(1, 1, 4)]],
  ["leave a gap", [clip(0, 0, 2), clip(1, 3, 6)]],
  ["begin later in their files", [clip(0, 0, 2), { ...clip(1, 2, 5), trimStart: 1 }]],
])("clips that %s stay as they are", (_, videoTrack) => {
  expect(fitted({ editorData: { videoTrack } }).data.videoTrack).toEqual(videoTrack);
});

test("clips of a client that counts its scenes from 1 follow, too", () => {
  const videoTrack = [clip(1, 0, 2), clip(2, 2, 5)];
  const scenes = [scene(2), scene(3)].map((one, place) => ({ ...one, scene_index: place + 1 }));
  const generatedScenes = [1, 2].map((sceneIndex) => ({ sceneIndex, status: "done" }));
  const editorState = completeEditorState({ editorData: { videoTrack } });
  const fit = fitScenes({ scenes, generatedScenes, editorState } as unknown as Work, new Map([[1, 1.2341]]));
  expect(fit.editorState!.editorData.videoTrack).toEqual([clip(1, 0, 2), clip(2, 2, 3.64)]);
});

test("a scene that is longer than its voice may stay as long as it is", () => {
  const work = { scenes: [scene(4), scene(1)], generatedScenes: [] } as unknown as Work;
  const voices = new Map([0, 1].map((place) => [place, 2]));
  const { scenes } = fitScenes(work, voices, { onlyLonger: true });
  expect(scenes.map(({ duration_seconds }) => duration_seconds)).toEqual([4, 2.4]);
});

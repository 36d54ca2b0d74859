import { expect, test } from "bun:test";
import { completeEditorState, shownEditorState } from "../../../src/domain/works/editor-state.ts";

const action = { id: "a", start: 0, end: 1 };

test("an empty state gets every part", () => {
  expect(completeEditorState({})).toEqual({
    editorData: { videoTrack: [], textTrack: [], imageTrack: [], audioTrack: [] },
    textOverlays: {},
    imageOverlays: {},
    audioVolume: 1,
    exportSettings: { width: 1080, height: 1920, fps: 30 },
  });
});

test("export settings take what is missing from the work's resolution", () => {
  const { exportSettings } = completeEditorState({ exportSettings: { fps: 25 } }, { width: 640, height: 360 });
  expect(exportSettings).toEqual({ width: 640, height: 360, fps: 25 });
});

test("the lists at the top are read when editorData is absent, and only then", () => {
  const alone = completeEditorState({ textTrack: [action], imageTrack: [action] });
  expect(alone.editorData).toMatchObject({ textTrack: [action], imageTrack: [action] });

  const both = completeEditorState({ editorData: { videoTrack: [action] }, textTrack: [action] });
  expect(both.editorData).toMatchObject({ videoTrack: [action], textTrack: [] });
  expect(both).not.toHaveProperty("textTrack");
});

test("a state comes back as it was shown", () => {
  const state = completeEditorState({ textTrack: [action], zoom: 2, editorData: { scale: 1, audioTrack: [action] } });
  const shown = shownEditorState(state);
  expect(shown).toMatchObject({ textTrack: state.editorData.textTrack, imageTrack: state.editorData.imageTrack });
  expect(completeEditorState(shown)).toEqual(state);
});

import { expect, test } from "bun:test";
import { completeEditorState, editorStateView } from "../../../src/domain/works/editor-state.ts";

const action = { id: "a", start: 0, end: 1 };

test("an empty state gets all defaults", () => {
  expect(completeEditorState({})).toEqual({
    editorData: { videoTrack: [], textTrack: [], imageTrack: [], audioTrack: [] },
    textOverlays: {},
    imageOverlays: {},
    audioVolume: 1,
    exportSettings: { width: 1080, height: 1920, fps: 30 },
  });
});

test("missing export settings come from the work's resolution", () => {
  const { exportSettings } = completeEditorState({ exportSettings: { fps: 25 } }, { width: 640, height: 360 });
  expect(exportSettings).toEqual({ width: 640, height: 360, fps: 25 });
});

test("reads the top-level tracks only if editorData is absent", () => {
  const alone = completeEditorState({ textTrack: [action], imageTrack: [action] });
  expect(alone.editorData).toMatchObject({ textTrack: [action], imageTrack: [action] });

  const both = completeEditorState({ editorData: { videoTrack: [action] }, textTrack: [action] });
  expect(both.editorData).toMatchObject({ videoTrack: [action], textTrack: [] });
  expect(both).not.toHaveProperty("textTrack");
});

test("a viewed state can be sent back unchanged", () => {
  const state = completeEditorState({ textTrack: [action], zoom: 2, editorData: { scale: 1, audioTrack: [action] } });
  const view = editorStateView(state);
  expect(view).toMatchObject({ textTrack: state.editorData.textTrack, imageTrack: state.editorData.imageTrack });
  expect(completeEditorState(view)).toEqual(state);
});

import { expect, test } from "bun:test";
import { fillFromEditor } from "../../../src/domain/exports/fill-from-editor.ts";
import { completeEditorState } from "../../../src/domain/works/editor-state.ts";
import type { Work } from "../../../src/domain/works/works.ts";

const fill = (clip: object, text: object, settings: object) => {
  const times = { start: 0, end: 1 };
  const editorState = completeEditorState({
    editorData: { videoTrack: [{ id: "v", sceneIndex: 0, ...times, ...clip }], textTrack: [{ id: "t", ...times }] },
    textOverlays: { t: { text: "Hi", ...text } },
    exportSettings: { width: 64, height: 112, fps: 10, ...settings },
  });
  // safe because only these fields are read
  const work = { id: "w", scenes: [], generatedScenes: [], editorState } as unknown as Work;
  return fillFromEditor({ workMedia: { list: async () => [] } }, { projectId: "p", workId: "w" }, work);
};

test("fields that an editor has saved are taken", async () => {
  const { clips, texts, options } = await fill(
    { caption: false },
    { group: "a", maxHeight: 90, verticalAlign: "top" },
    { brand: true },
  );
  expect(clips[0]).toMatchObject({ caption: false });
  expect(texts?.[0]).toMatchObject({ group: "a", maxHeight: 90, verticalAlign: "top" });
  expect(options?.brand).toBe(true);
});

test("keys of the editor's own with the names of newer fields are left out, as before these fields", async () => {
  const { clips, texts, options } = await fill(
    { caption: "My clip", voice: { on: 1 } },
    { group: { id: 3 }, maxHeight: "auto", verticalAlign: "center" },
    { brand: "Bright Loaf" },
  );
  expect(clips[0]).not.toHaveProperty("caption");
  expect(texts).toEqual([{ text: "Hi", position: 0, end: 1 }]);
  expect(options).toEqual({ width: 64, height: 112, fps: 10 });
});

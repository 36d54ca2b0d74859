import { expect, test } from "bun:test";
import fc from "fast-check";
import { TextRequest } from "../../../src/domain/exports/request/layers/overlays.ts";
import { ClipRequest, ExportOptions, ExportRequest } from "../../../src/domain/exports/request/schema.ts";
import { completeEditorState, type EditorStateDraft } from "../../../src/domain/works/editor-state.ts";
import { newerFields, withKeptFields } from "../../../src/domain/works/kept-fields.ts";
import { withLastingIds } from "../../../src/domain/works/overlay-ids.ts";

const savedAt = 1_700_000_000_000;
const clip = { start: 0, end: 2, sceneIndex: 0 };
const knownOfClips = [...Object.keys(clip), "id", "trimStart", "trimEnd", "transitionType", "transitionDuration"];
const six = ["text", "fontSize", "fontColor", "centerX", "centerY", "assetId"];

type Fields = { readonly [key: string]: unknown };
const pick = (fields: readonly string[], item: Fields) =>
  Object.fromEntries(Object.entries(item).filter(([field]) => fields.includes(field)));

/** A save of what an existing editor has read: it knows few fields. */
function savedBy(state: ReturnType<typeof completeEditorState>): EditorStateDraft {
  const { editorData, textOverlays, imageOverlays, exportSettings } = withLastingIds(state, savedAt);
  const overlays = (all: { readonly [id: string]: Fields }) =>
    Object.fromEntries(Object.entries(all).map(([id, overlay]) => [id, pick(six, overlay)]));
  return {
    editorData: {
      ...editorData,
      videoTrack: editorData.videoTrack.map((each) => pick(knownOfClips, each) as typeof each),
    },
    textOverlays: overlays(textOverlays),
    imageOverlays: overlays(imageOverlays),
    audioVolume: 1,
    exportSettings: pick(["width", "height", "fps"], exportSettings),
  };
}

const aValue = fc.oneof(fc.string(), fc.integer(), fc.boolean());
const anId = fc.oneof(fc.string({ minLength: 1 }), fc.constantFrom("__proto__", "text-1", "text-2", "words-0-1"));
const anOverlay = fc.dictionary(
  fc.oneof(fc.constantFrom(...six, ...Object.keys(TextRequest.shape)), fc.string()),
  aValue,
);
const overlays = fc.dictionary(anId, anOverlay);
const fieldsOf = (names: readonly string[]) => fc.dictionary(fc.constantFrom(...names), aValue);
const someSettings = fieldsOf(newerFields.settings);
const aState = fc.record({
  overlays,
  images: overlays,
  clips: fc.array(fieldsOf(newerFields.clip), { maxLength: 3 }),
  settings: someSettings,
  own: fieldsOf(newerFields.state),
});

test("what an editor saves without a change stays as it was, whatever it does not know", () => {
  fc.assert(
    fc.property(aState, ({ overlays: texts, images, clips, settings, own }) => {
      const state = completeEditorState({
        ...own,
        editorData: { videoTrack: clips.map((fields, at) => ({ ...fields, ...clip, id: `clip-${at}` })) },
        textOverlays: texts,
        imageOverlays: images,
        exportSettings: { width: 64, height: 112, fps: 10, ...settings },
      });
      const saved = completeEditorState(withKeptFields(savedBy(state), state, savedAt));
      expect(saved).toEqual(withLastingIds(state, savedAt));
    }),
  );
});

test("null removes a field that was saved, and a place replaces another form of it", () => {
  const stored = completeEditorState({
    captions: { style: "box" },
    voice: {},
    textOverlays: { a: { text: "Hi", background: "red", align: "left" } },
    imageOverlays: { b: { assetId: "asset_1", x: 3, y: 4, layer: 2 } },
    exportSettings: { width: 64, height: 112, fps: 10, brand: true, disclosure: "auto" } as never,
  });
  const draft = withKeptFields(
    {
      captions: null,
      textOverlays: { a: { text: "Ho", background: null }, new: { text: "New", own: null } },
      imageOverlays: { b: { assetId: "asset_1", centerX: 9 } },
      exportSettings: { brand: null } as never,
    },
    stored,
    savedAt,
  );
  expect(draft).toEqual({
    voice: {},
    textOverlays: { a: { text: "Ho", align: "left" }, new: { text: "New", own: null } },
    imageOverlays: { b: { assetId: "asset_1", centerX: 9, layer: 2 } },
    exportSettings: { disclosure: "auto" },
  } as never);
});

test("places in other aspect ratios are kept with the place that they vary, and go when it changes", () => {
  const targets = { "16:9": { centerX: 5 } };
  const state = completeEditorState({ textOverlays: { a: { text: "Hi", centerX: 1, fontSize: 40, targets } } });
  const saved = (overlay: object) =>
    withKeptFields({ textOverlays: { a: { text: "Hi", ...overlay } } }, state, savedAt).textOverlays!.a!.targets;
  expect([{}, { text: "Ho" }, { centerX: 1 }].map(saved)).toEqual([targets, targets, targets]);
  expect([{ centerX: 2 }, { fontSize: 41 }, { x: 3 }].map(saved)).toEqual([undefined, undefined, undefined]);
  expect(saved({ centerX: 2, targets })).toEqual(targets);
});

test("every field of an export is one that editors know, or one that is kept", () => {
  const others = (shape: object, known: readonly string[]) => Object.keys(shape).filter((key) => !known.includes(key));
  const knownOfExports = ["sceneIndex", "position", "end", "cutFrom", "transition", "transitionDuration"];
  expect(newerFields.clip).toEqual(expect.arrayContaining(others(ClipRequest.shape, knownOfExports)));
  expect(newerFields.settings).toEqual(expect.arrayContaining(others(ExportOptions.shape, ["width", "height", "fps"])));
  const placed = ["projectId", "workId", "clips", "texts", "images", "options", "gate", "platforms", "rules"];
  expect(newerFields.state).toEqual(expect.arrayContaining(others(ExportRequest.shape, placed)));
});

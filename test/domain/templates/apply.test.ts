import { expect, test } from "bun:test";
import fc from "fast-check";
import { applyTemplate, mergeIntoEditor } from "../../../src/domain/templates/apply.ts";
import type {
  TemplateContent,
  TemplateImageOverlay,
  TemplateTextOverlay,
} from "../../../src/domain/templates/templates.ts";
import { completeEditorState } from "../../../src/domain/works/editor-state.ts";

const text = (id: string, more: Partial<TemplateTextOverlay> = {}): TemplateTextOverlay => ({
  id,
  text: id,
  fontSize: 32,
  fontColor: "#ffffff",
  centerX: 0,
  centerY: 0,
  timingMode: "relative",
  ...more,
});

const image = (id: string, more: Partial<TemplateImageOverlay> = {}): TemplateImageOverlay => ({
  id,
  assetId: "asset_1",
  width: 128,
  height: 128,
  centerX: 0,
  centerY: 0,
  opacity: 1,
  rotation: 0,
  maintainAspectRatio: true,
  timingMode: "absolute",
  ...more,
});

const content = (more: Partial<TemplateContent>): TemplateContent => ({ textOverlays: [], imageOverlays: [], ...more });

const templateOf = (templateContent: TemplateContent) => ({ id: "T", content: templateContent });

const apply = (templateContent: TemplateContent, durationSeconds: number, values = {}) =>
  applyTemplate(templateOf(templateContent), { durationSeconds, values });

const actionOf = (overlay: TemplateTextOverlay, durationSeconds: number) =>
  apply(content({ textOverlays: [overlay] }), durationSeconds).textTrackActions[0];

test("the result has overlays without timing, and track actions with the times", () => {
  const applied = apply(
    content({
      textOverlays: [text("title", { text: "Hi {{name}}", startPercent: 10, endPercent: 50 })],
      imageOverlays: [image("logo", { startSeconds: 1, endSeconds: 2 })],
    }),
    20,
    { name: "Ann" },
  );
  expect(applied).toEqual({
    textOverlays: { "T-title": { text: "Hi Ann", fontSize: 32, fontColor: "#ffffff", centerX: 0, centerY: 0 } },
    textTrackActions: [{ id: "T-title", start: 2, end: 10 }],
    imageOverlays: {
      "T-logo": {
        assetId: "asset_1",
        width: 128,
        height: 128,
        centerX: 0,
        centerY: 0,
        opacity: 1,
        rotation: 0,
        maintainAspectRatio: true,
      },
    },
    imageTrackActions: [{ id: "T-logo", start: 1, end: 2 }],
    skippedOverlayIds: [],
    pendingPlaceholders: [],
  });
});

test("missing times cover the whole video", () => {
  expect(actionOf(text("a"), 7)).toEqual({ id: "T-a", start: 0, end: 7 });
  expect(actionOf(text("a", { timingMode: "absolute" }), 7)).toEqual({ id: "T-a", start: 0, end: 7 });
});

test("uses only the fields of the timing mode", () => {
  const both = { startPercent: 50, endPercent: 100, startSeconds: 1, endSeconds: 2 };
  expect(actionOf(text("a", both), 10)).toEqual({ id: "T-a", start: 5, end: 10 });
  expect(actionOf(text("a", { ...both, timingMode: "absolute" }), 10)).toEqual({ id: "T-a", start: 1, end: 2 });
});

test("clamps timing to the video", () => {
  const overlay = text("a", { timingMode: "absolute", startSeconds: -3, endSeconds: 99 });
  expect(actionOf(overlay, 4)).toEqual({ id: "T-a", start: 0, end: 4 });
});

test("reports an overlay without visible time as skipped and omits it everywhere else", () => {
  const late = { timingMode: "absolute", startSeconds: 5, endSeconds: 9 } as const;
  const applied = apply(
    content({ textOverlays: [text("late", { ...late, text: "{{x}}" })], imageOverlays: [image("later", late)] }),
    5,
  );
  expect(applied).toMatchObject({ skippedOverlayIds: ["late", "later"], pendingPlaceholders: [] });
  expect([applied.textOverlays, applied.imageOverlays]).toEqual([{}, {}]);
  expect([...applied.textTrackActions, ...applied.imageTrackActions]).toEqual([]);
});

test("lists the pending keys of all texts once, in order of first appearance", () => {
  const texts = [text("1", { text: "{{b}} {{a}}" }), text("2", { text: "{{c}} {{b}}" })];
  expect(apply(content({ textOverlays: texts }), 1).pendingPlaceholders).toEqual(["b", "a", "c"]);
});

test("overlay ids may equal inherited property names", () => {
  const applied = apply(content({ textOverlays: [text("__proto__"), text("constructor"), text("10")] }), 1);
  expect(Object.keys(applied.textOverlays)).toEqual(["T-__proto__", "T-constructor", "T-10"]);
});

const mergeTemplate = (template: TemplateContent, state = completeEditorState({}), durationSeconds = 10) =>
  mergeIntoEditor(state, apply(template, durationSeconds), templateOf(template));

test("merging a template keeps the editor's own overlays and fields", () => {
  const mine = completeEditorState({
    textOverlays: { mine: { text: "mine" } },
    editorData: { textTrack: [{ id: "mine", start: 0, end: 1 }] },
    zoom: 3,
  });
  const merged = mergeTemplate(content({ textOverlays: [text("title")] }), mine);
  expect(Object.keys(merged.textOverlays)).toEqual(["mine", "T-title"]);
  expect(merged.editorData.textTrack.map(({ id }) => id)).toEqual(["mine", "T-title"]);
  expect(merged.zoom).toBe(3);
});

test("merging a template twice equals merging it once", () => {
  const template = content({ textOverlays: [text("__proto__"), text("b")], imageOverlays: [image("c")] });
  const once = mergeTemplate(template);
  expect(mergeTemplate(template, once)).toEqual(once);

  const ids = fc.uniqueArray(fc.constantFrom("a", "T", "T-a", "text-1", "__proto__"));
  const times = { timingMode: "absolute", startSeconds: 1 } as const;
  fc.assert(
    fc.property(ids, ids, ids, (texts, images, own) => {
      const overlays = {
        textOverlays: texts.map((id) => text(id, times)),
        imageOverlays: images.map((id) => image(id)),
      };
      const editor = completeEditorState({
        textOverlays: Object.fromEntries(own.map((id) => [id, { text: id }])),
        textTrack: own.map((id) => ({ id, start: 0, end: 1 })),
      });
      const merged = mergeTemplate(content(overlays), editor);
      expect(mergeTemplate(content(overlays), merged)).toEqual(merged);
    }),
  );
});

test("merging replaces only what the same template has put there", () => {
  const templateContent = content({ textOverlays: [text("a")] });
  const others = completeEditorState({
    textOverlays: { a: {}, T: {}, "U-a": {}, "T-gone": {} },
    textTrack: ["a", "T", "U-a", "T-gone"].map((id) => ({ id, start: 0, end: 1 })),
  });
  const merged = mergeTemplate(templateContent, others);
  expect(Object.keys(merged.textOverlays)).toEqual(["a", "T", "U-a", "T-a"]);
  expect(merged.editorData.textTrack.map(({ id }) => id)).toEqual(["a", "T", "U-a", "T-a"]);
});

test("removes an overlay that has no visible time in a shorter video", () => {
  const late = text("late", { timingMode: "absolute", startSeconds: 5 });
  const template = content({ textOverlays: [late] });
  const merged = mergeTemplate(template, mergeTemplate(template), 4);
  expect([merged.textOverlays, merged.editorData.textTrack]).toEqual([{}, []]);
});

test("sets the default transition on video actions without one", () => {
  const videoTrack = [
    { id: "1", start: 0, end: 1, sceneIndex: 0 },
    { id: "2", start: 1, end: 2, transitionType: "cut" },
  ];
  const template = content({ defaultTransition: { type: "fade", duration: 0.4 } });
  expect(mergeTemplate(template, completeEditorState({ editorData: { videoTrack } })).editorData.videoTrack).toEqual([
    { id: "1", start: 0, end: 1, sceneIndex: 0, transitionType: "fade", transitionDuration: 0.4 },
    { id: "2", start: 1, end: 2, transitionType: "cut" },
  ]);
});

test("the template's export settings replace the work's; without them the work's stay", () => {
  const exportSettings = { width: 720, height: 1280, fps: 25 };
  expect(mergeTemplate(content({ exportSettings })).exportSettings).toEqual(exportSettings);
  expect(mergeTemplate(content({})).exportSettings).toEqual({ width: 1080, height: 1920, fps: 30 });
  expect(apply(content({}), 1, {})).not.toHaveProperty("exportSettings");
});

import { expect, test } from "bun:test";
import fc from "fast-check";
import { type Row, rowsOf, translateCaptions, vttOf, writeCaptions } from "../../studio/src/work/captions.ts";
import { changeClip, moveClip, removeClip, trimClip } from "../../studio/src/work/clips.ts";
import {
  type Clip,
  clipsOf,
  type Draft,
  draftOf,
  savedEditor,
  secondsOf,
  withEditor,
} from "../../studio/src/work/draft.ts";
import { overlaysOf, putOverlay } from "../../studio/src/work/overlays.ts";
import { boxOf, placeAt, sizeBy, snap } from "../../studio/src/work/places.ts";
import { requestOf } from "../../studio/src/work/request.ts";
import { begin, commit, redo, undo } from "../../studio/src/work/session.ts";

const clip = (id: string, start: number, end: number, more: Partial<Clip> = {}): Clip => ({
  ...{ id, start, end, sceneIndex: Number(id) },
  ...more,
});

const draftWith = (videoTrack: readonly Clip[], more: Partial<Draft["editor"]> = {}): Draft => ({
  scenes: [],
  editor: {
    editorData: { videoTrack, textTrack: [], imageTrack: [] },
    ...{ textOverlays: {}, imageOverlays: {}, audioVolume: 1, exportSettings: { width: 1080, height: 1920, fps: 30 } },
    ...more,
  },
});

/** Three scenes of 2, 3 and 4 seconds, a text in each, and one over the whole film. */
const film = [
  ["first", 0.5, 1.5],
  ["second", 2.2, 5],
  ["third", 6, 8],
  ["whole", 0, 9],
].reduce(
  (draft, [id, start, end]) =>
    putOverlay(draft, { kind: "text", id: String(id) }, { text: id }, { start: Number(start), end: Number(end) }),
  draftWith([clip("0", 0, 2), clip("1", 2, 5), clip("2", 5, 9)]),
);
const timesOf = (draft: Draft) => Object.fromEntries(overlaysOf(draft).map(({ id, start, end }) => [id, [start, end]]));
const order = (draft: Draft) => clipsOf(draft).map(({ id, start, end }) => [id, start, end]);

test("captions of another language begin as those that are shown, are kept beside them, and move with the scenes", () => {
  const rows = [{ start: 0, end: 1, text: "Tea" }];
  const draft = draftWith([clip("0", 0, 2), clip("1", 2, 5)]);
  const german = translateCaptions(writeCaptions(draft, rows), rows, "en", "de");
  const written = writeCaptions(german, [{ start: 0, end: 1, text: "Tee" }]);
  const [first] = clipsOf(written);
  const longer = trimClip(written, first!.id, { from: 0, to: first!.end - first!.start + 1 });
  const english = translateCaptions(longer, rowsOf(longer.editor.captions!.vtt!), "de", "en");
  expect(rowsOf(english.editor.captions!.vtt!)).toMatchObject([{ text: "Tea" }]);
  expect(english.editor.captions).toMatchObject({ language: "en" });
  expect(rowsOf(english.editor.otherCaptions!.de!)).toMatchObject([{ text: "Tee" }]);
});

test("a moved scene takes its texts along, and the others close up", () => {
  const moved = moveClip(film, "2", 0);
  expect(order(moved)).toEqual([
    ["2", 0, 4],
    ["0", 4, 6],
    ["1", 6, 9],
  ]);
  expect(timesOf(moved)).toEqual({ first: [4.5, 5.5], second: [6.2, 9], third: [1, 3], whole: [0, 9] });
  expect(moveClip(film, "2", 7)).toBe(film);
});

test("a removed scene goes with its texts, and the last one stays", () => {
  const removed = removeClip(film, "1");
  expect(order(removed)).toEqual([
    ["0", 0, 2],
    ["2", 2, 6],
  ]);
  expect(timesOf(removed)).toEqual({ first: [0.5, 1.5], third: [3, 5], whole: [0, 6] });
  expect(secondsOf(removeClip(removeClip(removed, "0"), "2"))).toBe(4);
});

test("in and out cut the source, and what comes later moves along", () => {
  const trimmed = trimClip(film, "1", { from: 0.5, to: 2.5 });
  expect(clipsOf(trimmed)[1]).toMatchObject({ start: 2, end: 4, trimStart: 0.5 });
  // a text that ends with its scene still does
  expect(timesOf(trimmed)).toEqual({ first: [0.5, 1.5], second: [2.2, 4], third: [5, 7], whole: [0, 8] });
});

test("captions go with their scenes, and the words keep their times", () => {
  const rows: readonly Row[] = [
    { start: 0.2, end: 1, text: "One & <two>" },
    { start: 5.5, end: 7, text: "three four", marks: [5.5, 6] },
  ];
  const captions = { style: "karaoke" as const, vtt: vttOf(rows) };
  const moved = moveClip({ ...film, editor: { ...film.editor, captions } }, "2", 0);
  expect(rowsOf(moved.editor.captions?.vtt ?? "").map(({ start, end, text }) => [start, end, text])).toEqual([
    [0.5, 2, "three four"],
    [4.2, 5, "One & <two>"],
  ]);
});

test("any captions are read as they were written", () => {
  const aRow = fc
    .tuple(fc.integer({ min: 0, max: 3_500_000 }), fc.integer({ min: 200, max: 9_000 }), fc.string({ minLength: 1 }))
    .map(([start, length, text]) => ({ start: start / 1000, end: (start + length) / 1000, text: text.trim() }))
    .filter(({ text }) => text !== "");
  fc.assert(
    fc.property(fc.array(aRow), (rows) => {
      expect(rowsOf(vttOf(rows))).toEqual(rows);
    }),
  );
});

test("undo goes back through all steps and redo on again, and a drag is one step", () => {
  const start = begin(film);
  const dragged = [1, 2, 3].reduce(
    (history, x) =>
      commit(history, putOverlay(history.present, { kind: "text", id: "first" }, { centerX: x }), "drag 1"),
    commit(start, changeClip(film, "0", { transitionType: "fade" })),
  );
  expect(dragged.past.length).toBe(2);
  const back = undo(undo(dragged));
  expect(back.present).toBe(film);
  expect(undo(back)).toBe(back);
  expect(redo(redo(back)).present).toBe(dragged.present);
  // a new step leaves no way to what was undone
  expect(commit(undo(dragged), film).future).toEqual([]);
  // after undo, the same drag goes on as a step of its own
  expect(commit(undo(dragged), film, "drag 1").past.length).toBe(2);
});

test("the request has what an export takes, and no keys of other editors", () => {
  const own = putOverlay(film, { kind: "text", id: "first" }, { group: { id: 3 }, fontSize: 60 });
  const draft = changeClip(own, "1", { caption: "My clip", transitionType: "fade", trimStart: 1, selected: true });
  const { clips, texts, options } = requestOf(draft, { projectId: "p", workId: "w" });
  expect(clips?.[1]).toEqual({ sceneIndex: 1, position: 2, end: 5, cutFrom: 1, transition: "fade" });
  expect(texts?.[0]).toEqual({ text: "first", fontSize: 60, position: 0.5, end: 1.5 });
  expect(options).toEqual({ width: 1080, height: 1920, fps: 30 });
});

test("what a person has removed is saved as null, and the music of a film is shown as music", () => {
  const work = {
    ...{ id: "w", scenes: [], generatedScenes: [] },
    editorState: {
      editorData: {
        videoTrack: [{ id: "a", start: 0, end: 2, sceneIndex: 0, fit: "cover" }],
        textTrack: [],
        imageTrack: [],
      },
      ...{ textOverlays: { t: { text: "Hi", background: "red" } }, imageOverlays: {}, audioVolume: 1 },
      ...{ captions: {}, audio: { audioUrl: "/api/music", loop: true } },
      exportSettings: { width: 64, height: 112, fps: 10, brand: true },
    },
  };
  // safe because only these fields are read
  const before = draftOf(work as never);
  expect([before.editor.audioUrl, before.editor.audio]).toEqual(["/api/music", { loop: true }]);
  const { brand: _, ...exportSettings } = before.editor.exportSettings;
  const after = withEditor(before, {
    ...{ captions: undefined, exportSettings, textOverlays: { t: { text: "Hi" } } },
  });
  expect(savedEditor(after, before)).toMatchObject({
    ...{ captions: null, audioUrl: "/api/music", exportSettings: { width: 64, brand: null } },
    textOverlays: { t: { text: "Hi", background: null } },
    editorData: { videoTrack: [{ fit: "cover" }] },
  });
  expect(savedEditor(before, before)).toEqual(before.editor);
});

const frame = { width: 1080, height: 1920 };
const measure = (line: string, { size }: { readonly size: number }) => (line.length * size) / 2;

test("a box is moved where its fields say, by its center or by its corner", () => {
  const centered = { text: "Hello", fontSize: 100, centerX: 40 };
  const box = boxOf("text", centered, frame, measure);
  expect(box).toEqual({ width: 250, height: 120, x: 40, y: 0 });
  expect(placeAt("text", centered, { ...box, x: 0, y: 90 }, frame)).toEqual({ centerX: 0, centerY: 90 });
  const cornered = { width: 200, height: 100, x: 440, y: 910 };
  expect(boxOf("image", cornered, frame, measure)).toEqual({ width: 200, height: 100, x: 0, y: 0 });
  expect(placeAt("image", cornered, { width: 200, height: 100, x: 10, y: 0 }, frame)).toEqual({ x: 450, y: 910 });
  expect(sizeBy("text", { maxWidth: 400 }, 1.5)).toEqual({ fontSize: 72, maxWidth: 600 });
});

test("a box snaps onto the center and onto the edges of what apps leave free", () => {
  const box = { width: 200, height: 100, x: 6, y: -620 };
  expect(snap(box, frame, 12)).toEqual({ box: { ...box, x: 0, y: -622 }, lines: { x: 0, y: -672 } });
  expect(snap({ ...box, x: 100, y: 100 }, frame, 12).lines).toEqual({ x: undefined, y: undefined });
});

test("what is placed here is placed from here in all formats; other changes leave its places there", () => {
  const name = { kind: "text", id: "first" } as const;
  const targets = { "16:9": { centerX: 5 } };
  const versioned = putOverlay(film, name, { centerX: 1, targets });
  const after = (changes: Record<string, unknown>) =>
    putOverlay(versioned, name, changes).editor.textOverlays.first!.targets;
  expect([{ text: "Hi" }, { centerX: 1 }, { fontColor: "#000000" }].map(after)).toEqual([targets, targets, targets]);
  expect([{ centerX: 2 }, { fontSize: 90 }].map(after)).toEqual([undefined, undefined]);
  const saved = savedEditor(putOverlay(versioned, name, { centerX: 2 }), versioned);
  expect(saved.textOverlays.first).toMatchObject({ targets: null });
});

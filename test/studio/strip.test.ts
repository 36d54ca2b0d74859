import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  type Context,
  copyItems,
  duplicateItems,
  moveItems,
  pasteItems,
  placeClip,
  removeItems,
  splitItems,
  trimItem,
} from "../../studio/src/strip/commands.ts";
import { type Around, type Item, itemsIn, lanesOf, stacked } from "../../studio/src/strip/items.ts";
import { nearest, rulerStep, snapEdge, snapMove } from "../../studio/src/strip/snap.ts";
import { rowsOf } from "../../studio/src/work/captions.ts";
import { clipsOf, type Draft, layersOf, soundsOf, withEditor } from "../../studio/src/work/draft.ts";
import { cardOf } from "../../studio/src/work/dropped.ts";
import { overlaysOf, putOverlay } from "../../studio/src/work/overlays.ts";
import { requestOf } from "../../studio/src/work/request.ts";
import { partsOf, replaceWords, withWords, wordsOf } from "../../studio/src/work/words-in.ts";

const assetUrl = (assetId: string) => `/assets/${assetId}`;
const around = (more: Partial<Around> = {}): Around => ({
  ...{ captions: [], lengthOf: () => undefined, assetUrl },
  ...more,
});

const text = (draft: Draft, id: string, start: number, end: number, more: object = {}) =>
  putOverlay(draft, { kind: "text", id }, { text: id, ...more }, { start, end });

/** A film of two scenes as looks make it: each with a title of two texts and a part of its look. */
const base: Draft = {
  scenes: [],
  editor: {
    editorData: {
      videoTrack: [
        { id: "a", start: 0, end: 2, sceneIndex: 0, transitionType: "fade", transitionDuration: 0.3 },
        { id: "b", start: 2, end: 5, sceneIndex: 1, trimStart: 1 },
      ],
      ...{ textTrack: [], imageTrack: [] },
    },
    ...{ textOverlays: {}, imageOverlays: {}, audioVolume: 1, audioUrl: "/assets/song", audio: { loop: true } },
    exportSettings: { width: 90, height: 160, fps: 10 },
    layers: [
      { id: "look-1-ticket", type: "shape", layer: -2, position: 2.1, end: 5, group: "words-1" },
      { id: "frame", type: "shape" },
    ],
    sounds: [{ assetId: "hit", position: 1, role: "effect" }],
  },
};
const film = [
  ["words-0-0", 0, 2, "words-0"],
  ["words-1-0", 2.2, 5, "words-1"],
  ["words-1-1", 2.6, 5, "words-1"],
].reduce((draft, [id, start, end, group]) => text(draft, String(id), Number(start), Number(end), { group }), base);

let ids = 0;
const context: Context = { captions: [], newId: () => `n${ids++}` };
const items = (draft: Draft, more: Partial<Around> = {}) => itemsIn(lanesOf(draft, around(more)));
const item = (draft: Draft, key: string, more: Partial<Around> = {}): Item => {
  const found = items(draft, more).find((each) => each.key === key);
  if (!found) throw new Error(`There is no ${key}.`);
  return found;
};
const timesOf = (draft: Draft) =>
  Object.fromEntries([
    ...clipsOf(draft).map(({ id, start, end }) => [id, [start, end]]),
    ...overlaysOf(draft).map(({ id, start, end }) => [id, [start, end]]),
  ]);

describe("the bars of a film", () => {
  test("a title is one bar, parts of its look lie below it, and music and effects have their times", () => {
    const lanes = lanesOf(film, around({ lengthOf: (url) => (url === "/assets/hit" ? 0.5 : 3) }));
    expect(lanes.map(({ kind }) => kind)).toEqual(["clip", "overlay", "sound"]);
    const named = Object.fromEntries(itemsIn(lanes).map((each) => [each.key, each]));
    expect(named["text words-1-0"]).toMatchObject({ name: "words-1-0 · words-1-1", start: 2.2, end: 5 });
    expect(named["text words-1-0"]?.members.map(({ id }) => id)).toEqual(["words-1-0", "words-1-1", "look-1-ticket"]);
    expect(named["layer look-1-ticket"]).toMatchObject({ start: 2.1, end: 5 });
    // without times, a layer is shown in the whole film
    expect(named["layer frame"]).toMatchObject({ start: 0, end: 5 });
    expect(named.music).toMatchObject({ start: 0, end: 5, repeats: true });
    expect(named["sound 0"]).toMatchObject({ start: 1, end: 1.5, url: "/assets/hit" });
    // the layer above everything is drawn last
    expect(lanes[1]?.rows[0]?.map(({ key }) => key)).toEqual(["layer frame"]);
  });

  test("texts of one group at other times are other titles", () => {
    const twice = text(film, "later", 6, 7, { group: "words-0" });
    expect(item(twice, "text words-0-0").members).toHaveLength(1);
    expect(item(twice, "text later").members).toHaveLength(1);
  });

  test("rows have no two bars at a time, and keep the order of what overlaps", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 1, max: 8 }))), (ranges) => {
        const bars = ranges.map(
          ([start, length], at): Item => ({
            ...{ key: String(at), kind: "text", name: "", members: [] },
            ...{ start, end: start + length },
          }),
        );
        const rows = stacked(bars);
        const rowOf = (bar: Item) => rows.findIndex((row) => row.includes(bar));
        expect(rows.flat()).toHaveLength(bars.length);
        for (const [at, one] of bars.entries())
          for (const other of bars.slice(at + 1))
            if (one.start < other.end && other.start < one.end) expect(rowOf(other)).toBeGreaterThan(rowOf(one));
      }),
    );
  });
});

describe("what is done with bars", () => {
  test("a title moves with its look, and not before the start; scenes stay", () => {
    const moved = moveItems(film, [item(film, "text words-1-0"), item(film, "clip a")], -1, context);
    expect(timesOf(moved)).toMatchObject({
      "words-1-0": [1.2, 4],
      "words-1-1": [1.6, 4],
      "look-1-ticket": [1.1, 4],
      "words-0-0": [0, 2],
      a: [0, 2],
    });
    expect(timesOf(moveItems(film, [item(film, "text words-1-0")], -9, context))["words-1-0"]).toEqual([0, 2.8]);
  });

  test("a scene takes the place where it is let go, and its title, look and effect go along", () => {
    const moved = placeClip(film, "a", 3);
    expect(clipsOf(moved).map(({ id }) => id)).toEqual(["b", "a"]);
    expect(timesOf(moved)).toMatchObject({ "words-0-0": [3, 5], "words-1-0": [0.2, 3], "look-1-ticket": [0.1, 3] });
    expect(soundsOf(moved)).toMatchObject([{ position: 4 }]);
    expect(layersOf(moved)[1]).toEqual({ id: "frame", type: "shape" });
    expect(clipsOf(placeClip(film, "a", 0.4)).map(({ id }) => id)).toEqual(["a", "b"]);
  });

  test("edges are trimmed: later scenes follow a scene's end, and a sound keeps its place in the film", () => {
    expect(timesOf(trimItem(film, item(film, "clip a"), "end", 1.5, context))).toMatchObject({
      ...{ a: [0, 1.5], b: [1.5, 4.5], "words-0-0": [0, 1.5], "words-1-0": [1.7, 4.5] },
    });
    const [clip] = clipsOf(trimItem(film, item(film, "clip b"), "start", 2.5, context)).slice(1);
    expect(clip).toMatchObject({ start: 2, end: 4.5, trimStart: 1.5 });
    expect(timesOf(trimItem(film, item(film, "text words-1-0"), "start", 2.4, context))).toMatchObject({
      ...{ "words-1-0": [2.4, 5], "words-1-1": [2.6, 5] },
    });
    const trimmed = trimItem(film, item(film, "sound 0"), "start", 1.2, context);
    expect(soundsOf(trimmed)).toMatchObject([{ position: 1.2, cutFrom: 0.2, end: 5 }]);
    // a file has nothing before its start
    expect(soundsOf(trimItem(film, item(film, "sound 0"), "start", 0.2, context))).toMatchObject([
      { position: 1, cutFrom: 0 },
    ]);
  });

  test("a split leaves every picture and word where it was", () => {
    const split = splitItems(film, [item(film, "clip b"), item(film, "text words-1-0")], 4, context);
    expect(clipsOf(split)).toMatchObject([
      { id: "a" },
      { id: "b", start: 2, end: 4, trimStart: 1 },
      { start: 4, end: 5, trimStart: 3, sceneIndex: 1 },
    ]);
    const titles = items(split).filter(({ kind }) => kind === "text");
    expect(titles.map(({ start, end, members }) => [start, end, members.length])).toEqual([
      [0, 2, 1],
      [2.2, 4, 3],
      [4, 5, 3],
    ]);
    // what is not there then stays whole, and so does a scene of which too little would be left
    expect(splitItems(film, [item(film, "text words-0-0"), item(film, "clip b")], 4.9, context)).toEqual(film);
  });

  test("the cut between two scenes stays where the transition was", () => {
    const [first, second] = clipsOf(splitItems(film, [item(film, "clip a")], 1, context));
    expect([first?.transitionType, second?.transitionType]).toEqual([undefined, "fade"]);
  });

  test("a duplicated scene has the words and the look of the first, and later ones move along", () => {
    const twice = duplicateItems(film, [item(film, "clip a")], context);
    expect(clipsOf(twice).map(({ start, end, sceneIndex }) => [start, end, sceneIndex])).toEqual([
      [0, 2, 0],
      [2, 4, 0],
      [4, 7, 1],
    ]);
    expect(
      items(twice)
        .filter(({ kind }) => kind === "text")
        .map(({ name, start, end }) => [name, start, end]),
    ).toEqual([
      ["words-0-0", 0, 2],
      ["words-0-0", 2, 4],
      ["words-1-0 · words-1-1", 4.2, 7],
    ]);
  });

  test("copies are pasted at the playhead, with other ids", () => {
    const copied = copyItems(film, [item(film, "text words-1-0"), item(film, "sound 0")]);
    const pasted = pasteItems(film, copied!, 1.5, context);
    expect(soundsOf(pasted)).toMatchObject([{ position: 1 }, { position: 1.5 }]);
    expect(
      items(pasted)
        .filter(({ kind, start }) => kind === "text" && start === 2.7)
        .map(({ members }) => members.length),
    ).toEqual([3]);
    expect(new Set(overlaysOf(pasted).map(({ id }) => id)).size).toBe(overlaysOf(pasted).length);
    expect(copyItems(film, [item(film, "music")])).toBeUndefined();
  });

  test("what is removed is gone, but the last scene", () => {
    const all = items(film);
    const left = removeItems(film, all, context);
    expect([clipsOf(left).length, overlaysOf(left), soundsOf(left), left.editor.audioUrl]).toEqual([
      1,
      [],
      [],
      undefined,
    ]);
    expect(requestOf(left, { projectId: "p", workId: "w" })).toMatchObject({ layers: [], sounds: [], audio: null });
  });

  test("a line of captions moves with the times of its words, and is split between them", () => {
    const captions = [{ start: 1, end: 3, text: "Tea is ready", marks: [1, 1.5, 2.5] }];
    const shown = withEditor(film, { captions: { style: "karaoke" } });
    const line = item(shown, "caption 0", { captions });
    const own = (draft: Draft) => rowsOf(draft.editor.captions?.vtt ?? "");
    expect(own(moveItems(shown, [line], 0.5, { ...context, captions }))).toEqual([
      { start: 1.5, end: 3.5, text: "Tea is ready", marks: [1.5, 2, 3] },
    ]);
    expect(own(splitItems(shown, [line], 2, { ...context, captions }))).toMatchObject([
      { start: 1, end: 2, text: "Tea is" },
      { start: 2, end: 3, text: "ready" },
    ]);
    expect(own(removeItems(shown, [line], { ...context, captions }))).toEqual([]);
  });
});

describe("snapping", () => {
  const rule = { times: [0, 2, 4.03], within: 0.1, fps: 10 };

  test("the nearest edge meets a time; without one, a bar moves by whole frames", () => {
    expect(nearest(rule.times, 1.95, 0.1)).toBe(2);
    expect(snapMove({ start: 1, end: 1.5 }, 0.46, rule)).toEqual({ by: 0.5, at: 2 });
    expect(snapMove({ start: 1, end: 1.5 }, 0.27, rule).by).toBeCloseTo(0.3);
    expect(snapEdge(3.98, rule)).toEqual({ to: 4.03, at: 4.03 });
    expect(snapEdge(3.14, rule)).toEqual({ to: 3.1 });
  });

  test("labels of the ruler have room", () => {
    for (const scale of [4, 20, 107, 900]) expect(rulerStep(scale) * scale).toBeGreaterThanOrEqual(70);
  });
});

describe("the words of a film", () => {
  const priced = withEditor(
    {
      ...putOverlay(
        text(film, "price", 1, 2),
        { kind: "text", id: "price" },
        {
          text: undefined,
          spans: [{ text: "Wick\n& Wild", strike: true }],
        },
      ),
      scenes: [{ text_overlay: "Come to wick & wild", voice_text: "Hello" }],
    },
    { captions: { vtt: "WEBVTT\n\n00:00:00.000 --> 00:00:01.000\nWick &amp; Wild\n" } },
  );

  test("they are replaced everywhere, in any case and over the ends of lines", () => {
    const { draft, count, hits } = replaceWords(priced, "Wick & Wild", "Tea $& Co");
    expect(count).toBe(3);
    expect(hits).toEqual(["Wick\n& Wild", "Come to wick & wild", "Wick & Wild"]);
    expect(partsOf(hits[1]!, "wick  &")).toEqual(["Come to ", "wick &", " wild"]);
    expect(draft.editor.textOverlays.price).toMatchObject({ spans: [{ text: "Tea $& Co", strike: true }] });
    expect(draft.scenes).toEqual([{ text_overlay: "Come to Tea $& Co", voice_text: "Hello" }]);
    expect(rowsOf(draft.editor.captions?.vtt ?? "")).toMatchObject([{ text: "Tea $& Co" }]);
    expect(draft.editor.textOverlays["words-0-0"]).toEqual(priced.editor.textOverlays["words-0-0"]);
  });

  test("what is not found changes nothing, and signs are no pattern", () => {
    expect(replaceWords(priced, "W.ck", "x")).toEqual({ draft: priced, count: 0, hits: [] });
    expect(replaceWords(priced, "  ", "x").draft).toBe(priced);
    expect(replaceWords(priced, "Hello", "x").draft.editor).toBe(priced.editor);
  });

  test("the words of a text with styles are those of its spans, and the first style stays", () => {
    const { price } = priced.editor.textOverlays;
    expect(wordsOf(price!)).toBe("Wick\n& Wild");
    expect(withWords(price!, "£12")).toEqual({ spans: [{ text: "£12", strike: true }] });
    expect(withWords({ text: "a" }, "b")).toEqual({ text: "b" });
    const both = { text: "a", spans: [{ text: "a", underline: true }] };
    expect(withWords(both, "b")).toEqual({ text: "b", spans: [{ text: "b", underline: true }] });
  });
});

test("an HTML file becomes a card of its body and its styles", () => {
  const page =
    "<!doctype html><html><head><style>p { color: red }</style></head><body class=x><p>Tea</p><style>b{}</style></body></html>";
  expect(cardOf(page)).toEqual({ html: "<p>Tea</p>", css: "p { color: red }\nb{}" });
  expect(cardOf("<p>Tea</p>")).toEqual({ html: "<p>Tea</p>", css: "" });
});

import { expect, test } from "bun:test";
import fc from "fast-check";
import { fillFromEditor, storedRequest } from "../../../../src/domain/exports/request/fill-from-editor.ts";
import { buildLayout } from "../../../../src/domain/exports/request/resolve.ts";
import { ExportRequest } from "../../../../src/domain/exports/request/schema.ts";
import { completeEditorState } from "../../../../src/domain/works/editor-state.ts";
import type { Work } from "../../../../src/domain/works/works.ts";

const fill = (clip: object, text: object, settings: object, state: object = {}) => {
  const times = { start: 0, end: 1 };
  const editorState = completeEditorState({
    editorData: { videoTrack: [{ id: "v", sceneIndex: 0, ...times, ...clip }], textTrack: [{ id: "t", ...times }] },
    textOverlays: { t: { text: "Hi", ...text } },
    exportSettings: { width: 64, height: 112, fps: 10, ...settings },
    ...state,
  });
  // safe because only these fields are read
  const work = { id: "w", scenes: [], generatedScenes: [], editorState } as unknown as Work;
  return fillFromEditor({ workMedia: { list: async () => [] } }, { projectId: "p", workId: "w" }, work);
};

test("fields that an editor has saved are taken", async () => {
  const { clips, texts, options } = await fill(
    { caption: false },
    { group: "a", layer: -7, maxHeight: 90, verticalAlign: "top" },
    { brand: true },
  );
  expect(clips[0]).toMatchObject({ caption: false });
  expect(texts?.[0]).toMatchObject({ group: "a", layer: -7, maxHeight: 90, verticalAlign: "top" });
  expect(options?.brand).toBe(true);
});

test("spans that an editor kept while it changed the text are left out", async () => {
  const spans = [{ text: "Tea is " }, { text: "free", underline: true }];
  const saved = async (text: string) => (await fill({}, { text, spans }, {})).texts?.[0];
  expect(await saved("Tea is free")).toMatchObject({ text: "Tea is free", spans });
  expect(await saved("Tea is £2")).toEqual({ text: "Tea is £2", position: 0, end: 1 } as never);
});

test("keys of the editor's own with the names of newer fields are left out, as before these fields", async () => {
  const { clips, texts, options } = await fill(
    { caption: "My clip", voice: { on: 1 } },
    { group: { id: 3 }, layer: "top", maxHeight: "auto", verticalAlign: "center" },
    { brand: "Bright Loaf", disclosure: "none" },
  );
  expect(clips[0]).not.toHaveProperty("caption");
  expect(texts).toEqual([{ text: "Hi", position: 0, end: 1 }]);
  expect(options).toEqual({ width: 64, height: 112, fps: 10 });
});

test("captions, voice and the manner of the music that an editor has saved are taken, unless they are foreign", async () => {
  const music = { audioUrl: "/api/music", audioVolume: 0.5 };
  const saved = { captions: { style: "box" }, voice: {}, audio: { loop: true, volume: 3 } };
  const { captions, voice, audio } = await fill({}, {}, {}, { ...music, ...saved });
  expect({ captions, voice, audio }).toEqual({
    ...{ captions: { style: "box" }, voice: {} },
    audio: { audioUrl: "/api/music", loop: true, volume: 0.5 },
  });
  const foreign = await fill({}, {}, {}, { ...music, captions: { tracks: [] }, voice: "Ann", audio: { tracks: [] } });
  expect([foreign.captions, foreign.voice, foreign.audio]).toEqual([
    undefined,
    undefined,
    { audioUrl: "/api/music", volume: 0.5 },
  ]);
});

/** A work whose client counts its scenes from `first`, with these scene numbers on its track. */
const savedWork = (first: number, track: readonly (number | undefined)[]) => {
  const numbers = [0, 1, 2, 3].map((place) => first + place);
  const videoTrack = track.map((sceneIndex, at) => ({ id: `${at}`, start: at, end: at + 1, sceneIndex }));
  return {
    id: "w",
    scenes: numbers.map((scene_index) => ({ scene_index, duration_seconds: 1 })),
    generatedScenes: numbers.map((sceneIndex) => ({ sceneIndex, status: "done" })),
    editorState: completeEditorState({ editorData: { videoTrack } }),
    // safe because only these fields are read
  } as unknown as Work;
};

const ports = { workMedia: { list: async () => [] }, batchBases: { find: async () => undefined } };
const ids = { projectId: "p", workId: "w" };
const aNumber = fc.nat(3);

test("a job renders the request that was filled once, as the database gives it back", async () => {
  const tracks = fc.array(fc.option(aNumber, { nil: undefined }), { minLength: 1, maxLength: 4 });
  const lists = fc.array(aNumber, { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(fc.nat(1), tracks, fc.option(lists), async (first, track, sent) => {
      const work = savedWork(first, track);
      const clips = sent?.map((sceneIndex, at) => ({ sceneIndex, position: at, end: at + 1 }));
      const filled = await fillFromEditor(ports, clips ? { ...ids, clips } : ids, work);
      const stored = JSON.parse(JSON.stringify(filled));
      const run = await storedRequest(ports, { request: stored }, work);
      expect(run.clips).toEqual(filled.clips);
      const again = await storedRequest(ports, { request: run }, work);
      expect(again).toBe(run);
      const sources = { clips: [], fonts: [], images: [], recordings: { scenes: new Map() } } as never;
      expect(buildLayout(again, work, sources)).toEqual(buildLayout(filled, work, sources));
    }),
  );
});

test.each([
  ["its number", [2, 3], [1, 2]],
  ["its position, without a number", [undefined, 3], [0, 2]],
  ["its position after a number", [3, undefined], [2, 1]],
])("an action of a client that counts from 1 shows the scene of %s", async (_, track, places) => {
  const { clips } = await fillFromEditor(ports, ids, savedWork(1, track));
  expect(clips.map(({ sceneIndex }) => sceneIndex)).toEqual(places);
});

test("a request of an editor that knows few fields gets what is saved, but for what it names", async () => {
  const times = { start: 0, end: 1 };
  const saved = { text: "Hi", fontColor: "#0f4c5c", centerY: 20, background: "white" };
  const editorState = completeEditorState({
    editorData: {
      videoTrack: [{ id: "v", sceneIndex: 0, fit: "cover", ...times }],
      textTrack: [
        { id: "t", ...times },
        { id: "u", ...times },
      ],
      imageTrack: [{ id: "i", ...times }],
    },
    textOverlays: {
      t: saved,
      u: { text: "Ho", align: "left" },
    },
    imageOverlays: { i: { assetId: "asset_1", width: 20, height: 10, centerX: 5, centerY: 0, layer: 3 } },
    ...{ captions: { style: "box" }, voice: {}, audio: { audioUrl: "/api/music", loop: true } },
    targets: ["9:16"],
    exportSettings: { width: 64, height: 112, fps: 10, ...{ brand: true, disclosure: "auto" } },
  });
  // safe because only these fields are read
  const work = { id: "w", scenes: [], generatedScenes: [], editorState } as unknown as Work;
  const place = { position: 0, end: 1 };
  const sent = {
    ...ids,
    clips: [{ sceneIndex: 0, ...place }],
    texts: [
      { text: "Hi", fontColor: "#0f4c5c", fontSize: 48, centerX: 0, centerY: 20, ...place },
      { text: "Ho", fontSize: 90, ...place },
    ],
    images: [{ assetId: "asset_1", width: 20, height: 10, x: 27, y: 51, ...place }],
    options: { width: 64, height: 112, fps: 10 },
  };
  const fillSent = (changes: object) => {
    const parsed = ExportRequest.parse({ ...sent, ...changes });
    return fillFromEditor(ports, parsed, work);
  };
  expect(await fillSent({})).toEqual({
    ...sent,
    ...{ captions: { style: "box" }, voice: {}, audio: { audioUrl: "/api/music", loop: true, volume: 1 } },
    clips: [{ sceneIndex: 0, ...place, fit: "cover" }],
    texts: [{ ...saved, fontSize: 48, ...place }, sent.texts[1]],
    images: [{ assetId: "asset_1", width: 20, height: 10, centerX: 5, centerY: 0, layer: 3, ...place }],
    options: { ...sent.options, brand: true, disclosure: "auto", targets: ["9:16"] },
  } as never);
  const options = { ...sent.options, disclosure: "off", width: 128 };
  const named = await fillSent({ captions: null, options });
  expect([named.captions, named.voice, named.options]).toEqual([undefined, {}, { ...options, brand: true } as never]);
  const whole = { audio: null, voice: null, captions: null };
  const taken = ({ clips, texts, images, options: filled }: typeof named) => ({
    clips,
    texts,
    images,
    options: filled,
  });
  const own: object[] = [whole, { texts: undefined }, { clips: [{ sceneIndex: 0, position: 0, end: 0.5 }] }];
  for (const changes of own) {
    const body = { ...sent, ...changes };
    expect(taken(await fillSent(changes))).toEqual(taken(body as never));
  }
});

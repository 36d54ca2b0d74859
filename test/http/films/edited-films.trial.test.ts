import { afterAll, expect, test } from "bun:test";
import { orderFilm, restedFilm } from "../../support/films.ts";
import { instantExports } from "../../support/media/instant-exports.ts";
import { testService } from "../../support/service.ts";
import { formOf, png, wav } from "../../support/uploads.ts";
import { editorOf, type Json, requestOf } from "./edited-works.ts";

const service = await testService({}, undefined, instantExports);
afterAll(service.close);

test("what a person has changed in the editor stays when a scene is made anew, or replaced", async () => {
  const ann = await service.register();
  const { path, projectId } = await orderFilm(ann, { scenes: 3, captions: { style: "plain" } });
  const done = await restedFilm(ann, path);
  expect(done.status).toBe("done");
  const { state, save } = await editorOf(ann, projectId, done);
  const [first, second, third] = state.editorData.videoTrack;
  const own = { text: "Own words", fontSize: 12, fontColor: "#ffffff", centerX: 0, centerY: 0 };
  const [titleId = ""] = Object.keys(state.textOverlays);
  const edited = {
    ...state,
    // the scenes in another order, one of them trimmed, and one removed
    editorData: {
      ...state.editorData,
      videoTrack: [
        { ...third, start: 0, end: 0.5, trimStart: 0.2, transitionType: "cut", fit: "cover", focus: "auto" },
        { ...first, start: 0.5, end: 0.5 + first.end - first.start },
      ],
      textTrack: [...state.editorData.textTrack, { id: "own", start: 0, end: 1 }],
    },
    textOverlays: {
      ...state.textOverlays,
      [titleId]: { ...state.textOverlays[titleId], text: "Another title" },
      own,
    },
    captions: { style: "karaoke" },
    audioVolume: 0.25,
  };
  await save(edited);
  const { state: saved } = await editorOf(ann, projectId, done);

  await ann.json("POST", `${path}/steps/scene-${second.sceneIndex}-image/retry`);
  expect(await restedFilm(ann, path)).toMatchObject({ status: "done" });
  expect((await editorOf(ann, projectId, done)).state).toEqual(saved);

  const upload = await ann.request(`/api/projects/${projectId}/assets`, {
    method: "POST",
    body: formOf({ file: png(90, 160) }),
  });
  const { id: assetId } = await upload.json();
  expect((await ann.json("PUT", `${path}/steps/scene-0-image`, { assetId })).status).toBe(200);
  const replaced = await restedFilm(ann, path);
  expect([replaced.status, replaced.waitingReason]).toEqual(["done", undefined]);
  expect((await editorOf(ann, projectId, done)).state).toEqual(saved);

  const request = await requestOf(ann, replaced);
  expect(request.clips).toMatchObject([{ sceneIndex: 2, cutFrom: 0.2, focus: "auto" }, { sceneIndex: 0 }]);
  expect(request.captions).toMatchObject({ style: "karaoke" });
  expect(request.texts.map(({ text }: Json) => text)).toContain("Another title");
});

test("a template and music that a person adds stay when a scene is made anew", async () => {
  const ann = await service.register();
  const { path, projectId } = await orderFilm(ann);
  const done = await restedFilm(ann, path);
  const textOverlays = [{ id: "sale", text: "Sale", timingMode: "relative", fontSize: 12 }];
  const named = { name: "Sale", content: { textOverlays } };
  const { id: templateId } = await (await ann.json("POST", `/api/projects/${projectId}/templates`, named)).json();
  const work = `/api/projects/${projectId}/works/${done.workId}`;
  await ann.json("POST", `${work}/apply-template`, { templateId, placeholderValues: {} });
  const upload = await ann.request(`${work}/media/audio`, { method: "POST", body: formOf({ audio: wav() }) });
  expect(await upload.text()).toContain("audioUrl");
  const { state } = await editorOf(ann, projectId, done);
  expect(Object.keys(state.textOverlays)).toContain(`${templateId}-sale`);
  expect(state.audioUrl).toBeString();
  await ann.json("POST", `${path}/steps/scene-0-image/retry`);
  const again = await restedFilm(ann, path);
  expect(again.status).toBe("done");
  const { state: kept } = await editorOf(ann, projectId, done);
  expect([kept.textOverlays, kept.audioUrl]).toEqual([state.textOverlays, state.audioUrl]);
  expect(kept.editorData.textTrack).toEqual(expect.arrayContaining(state.editorData.textTrack));
  expect((await requestOf(ann, again)).audio.audioUrl).toBe(state.audioUrl);
});

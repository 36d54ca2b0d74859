import { afterAll, expect, test } from "bun:test";
import { orderFilm, restedFilm } from "../../support/films.ts";
import { instantExports } from "../../support/media/instant-exports.ts";
import { testService } from "../../support/service.ts";
import { editorOf } from "./edited-works.ts";

const service = await testService({}, undefined, instantExports);
afterAll(service.close);

test("words that a person has set before the film was laid out stay beside the film's", async () => {
  const ann = await service.register();
  const { path, projectId } = await orderFilm(ann, { scenes: 2, stopAt: ["scenes"] });
  const waiting = await restedFilm(ann, path);
  const { save } = await editorOf(ann, projectId, waiting);
  const own = { text: "Own words", fontSize: 12, fontColor: "#ffffff", centerX: 0, centerY: 0 };
  await save({ editorData: { textTrack: [{ id: "own", start: 0, end: 1 }] }, textOverlays: { own } });
  await ann.json("POST", `${path}/approve`);
  const done = await restedFilm(ann, path);
  expect(done.status).toBe("done");
  const { state } = await editorOf(ann, projectId, done);
  expect(state.textOverlays.own).toEqual(own);
  expect(Object.keys(state.textOverlays)).toContain("words-0-0");
  expect(state.editorData.videoTrack).toMatchObject([{ sceneIndex: 0, fit: "cover" }, { sceneIndex: 1 }]);
});

test("a scenario that is made anew lays the film out anew", async () => {
  const ann = await service.register();
  const { path, projectId } = await orderFilm(ann, { scenes: 2 });
  const done = await restedFilm(ann, path);
  const { state, save } = await editorOf(ann, projectId, done);
  const [first] = state.editorData.videoTrack;
  await save({ ...state, editorData: { ...state.editorData, videoTrack: [first] } });
  await ann.json("POST", `${path}/steps/scenario/retry`);
  expect(await restedFilm(ann, path)).toMatchObject({ status: "done" });
  expect((await editorOf(ann, projectId, done)).state.editorData.videoTrack).toHaveLength(2);
});

test("a text of a template without its value is left out, and named", async () => {
  const ann = await service.register();
  const template = { library: "end-card", values: { action: "Now {{price}}", address: "cup.example" } };
  const missing = {
    path: "template.values",
    code: "placeholder_missing",
    message: expect.stringContaining("{{headline}}"),
  };
  const { path, projectId, film } = await orderFilm(ann, { template });
  expect(film.warnings).toContainEqual(missing);
  const done = await restedFilm(ann, path);
  expect(done.warnings).toContainEqual(missing);
  const { state } = await editorOf(ann, projectId, done);
  expect(Object.keys(state.textOverlays).some((id) => id.startsWith("library-end-card"))).toBe(true);
  expect(JSON.stringify(state)).not.toContain("{{");
});

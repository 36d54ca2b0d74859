import { expect, test } from "bun:test";
import type { Film, FilmStep } from "../../../../src/domain/films/film.ts";
import { composeFilm } from "../../../../src/domain/films/steps/compose.ts";
import type { Project } from "../../../../src/domain/projects/projects.ts";
import { completeEditorState } from "../../../../src/domain/works/editor-state.ts";
import type { WorkMedia } from "../../../../src/domain/works/media.ts";
import type { Work } from "../../../../src/domain/works/works.ts";
import { boxesIn } from "../../../../src/engine/html-drawing/boxes.ts";
import { looks } from "../../../support/looks.ts";

const options = { owner: "user" };

// safe because composing reads nothing else
const step = (id: string, kind: string, endedAt: number, scene?: number) =>
  ({ id, kind, scene, attempts: [{ state: "done", startedAt: 0, endedAt }] }) as unknown as FilmStep;
const film = {
  order: { brief: { text: "" }, models: {}, targets: ["9:16"], captions: {} },
  steps: [
    step("scenario", "scenario", 1),
    step("scene-0-image", "image", 2, 0),
    step("scene-1-image", "image", 20, 1),
    step("scene-2-image", "image", 2, 2),
    step("scene-3-image", "image", 2, 3),
    step("compose", "compose", 3),
  ],
} as unknown as Film;
const scene = { duration_seconds: 2, text_overlay: "Folds in ten seconds" };
const overlay = { text: "Own" };
const work = {
  ...{ id: "work", projectId: "proj", productName: "Velo", productDescription: "", generatedScenes: [] },
  ...{ scenes: [scene, scene, scene, scene], editorSavedAt: 10 },
  editorState: completeEditorState({
    editorData: {
      videoTrack: [
        { id: "a", start: 0, end: 1.5, sceneIndex: 0, trimStart: 0.5 },
        { id: "c", start: 1.5, end: 3.5, sceneIndex: 2 },
      ],
      textTrack: [{ id: "own", start: 2, end: 3 }],
    },
    textOverlays: { own: overlay },
  }),
} as unknown as Work;
type Edit = Parameters<Parameters<typeof composeFilm>[0]["workMedia"]["changeWork"]>[2];
const media = [0, 1, 2, 3].map((at) => ({ slot: `scene/${at}/image`, file: { facts: {} } }) as unknown as WorkMedia);

test("of the scenes that an edited work does not show, those are added that were not made then", async () => {
  const workMedia = { changeWork: async (_p: string, _w: string, edit: Edit) => edit(work, media) };
  const ports = { workMedia, textMeasurer: { boxesIn } } as unknown as Parameters<typeof composeFilm>[0];
  const { editorState } = await composeFilm(ports, { film, project: {} as Project, looks, assets: [] }, work, options);
  const { videoTrack, textTrack } = editorState!.editorData;
  // the last one was removed by a person
  expect(videoTrack).toEqual([
    { id: "a", start: 0, end: 1.5, sceneIndex: 0, trimStart: 0.5 },
    expect.objectContaining({ sceneIndex: 1, start: 1.5, end: 3.5, fit: "cover" }),
    { id: "c", start: 3.5, end: 5.5, sceneIndex: 2 },
  ]);
  expect(textTrack[0]).toEqual({ id: "own", start: 4, end: 5 });
  // words leave while the next scene comes
  expect(textTrack.slice(1).every(({ start, end }) => start >= 1.5 && end < 3.8)).toBe(true);
  expect(Object.keys(editorState!.textOverlays)).toEqual(expect.arrayContaining(["own", "words-1-0"]));
});

test("clips that cover a frame of another ratio follow their subject, others are shown whole in several targets", async () => {
  const sizes = [
    { width: 1280, height: 720 },
    { width: 1080, height: 1920 },
  ];
  let shown = sizes.map((facts, at) => ({ slot: `scene/${at}/video`, file: { facts } }) as unknown as WorkMedia);
  const fresh = {
    ...work,
    scenes: [scene, scene],
    editorState: undefined,
    editorSavedAt: undefined,
  } as unknown as Work;
  const workMedia = { changeWork: async (_p: string, _w: string, edit: Edit) => edit(fresh, shown) };
  const ports = { workMedia, textMeasurer: { boxesIn } } as unknown as Parameters<typeof composeFilm>[0];
  const fits = async (targets: readonly string[]) => {
    const order = { ...film.order, targets };
    const composed = await composeFilm(
      ports,
      { film: { ...film, order } as Film, project: {} as Project, looks, assets: [] },
      fresh,
      options,
    );
    return composed.editorState!.editorData.videoTrack.map(({ fit, focus }) => [fit, focus]);
  };
  expect(await fits(["9:16"])).toEqual([
    ["cover", "auto"],
    ["cover", undefined],
  ]);
  expect(await fits(["9:16", "16:9"])).toEqual([
    ["blur", undefined],
    ["blur", undefined],
  ]);
  // drawn around both frames, and moved by the camera alone
  const around = { origin: { model: "storyboard" }, file: { facts: { width: 1920, height: 1920 } } };
  shown = [0, 1].map((at) => ({ ...around, slot: `scene/${at}/image` }) as unknown as WorkMedia);
  expect(await fits(["9:16", "16:9"])).toEqual([
    ["cover", undefined],
    ["cover", undefined],
  ]);
});

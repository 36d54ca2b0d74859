import { expect, test } from "bun:test";
import { differencesOf, type FilmValue } from "../../client/src/command-line/diff.ts";

const film: FilmValue = {
  id: "a",
  timeline: "t",
  request: {
    projectId: "proj_1",
    clips: [{ sceneIndex: 0, position: 0, end: 2 }],
    texts: [{ text: "Old", position: 1, end: 2 }],
    options: { fps: 25 },
  },
  inputs: { "clips.0": "f1" },
  engine: { renderer: 2, ffmpeg: { version: "7.1" } },
};

test("a diff of two films names each field, each file and the engine, with the frames that it concerns", () => {
  expect(differencesOf(film, { ...film, request: { ...film.request, projectId: "proj_2" } })).toEqual([]);
  const changed: FilmValue = {
    ...film,
    request: {
      ...film.request,
      clips: [{ sceneIndex: 3, position: 0, end: 3 }],
      texts: [],
    },
    inputs: { "clips.0": "f2" },
    engine: { renderer: 2, ffmpeg: { version: "8.1" } },
  };
  expect(differencesOf(film, changed)).toEqual([
    { path: "clips.0.end", before: 2, after: 3, frames: { start: 0, end: 75 } },
    { path: "texts.0.text", before: "Old", frames: { start: 25, end: 50 } },
    { path: "texts.0.position", before: 1, frames: { start: 25, end: 50 } },
    { path: "texts.0.end", before: 2, frames: { start: 25, end: 50 } },
    { path: "clips.0 (file)", before: "f1", after: "f2", frames: { start: 0, end: 75 } },
    { path: "engine.ffmpeg.version", before: "7.1", after: "8.1" },
  ]);
});

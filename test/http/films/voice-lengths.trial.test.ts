import { afterAll, expect, test } from "bun:test";
import { filmModels } from "../../support/models/film-provider.ts";
import { filmKeys, type Json, paidFilms } from "../../support/paid-films.ts";
import type { TestUser } from "../../support/service.ts";

const films = await paidFilms();
afterAll(films.close);

const models = { ...filmModels, video: false };
const ofSeconds = (film: Json) => film.warnings.filter(({ path }: Json) => path === "seconds");

/** Of three scenes of so many seconds each, of which the second says this, and the others one word. */
async function filmOf(ann: TestUser, duration_seconds: number, line: string, order: object = {}): Promise<Json> {
  const scenario = ["Short.", line, "Short."].map((voice_text, scene_index) => ({
    ...{ scene_index, duration_seconds, voice_text },
    ...{ image_prompt: `Cup ${scene_index}`, video_prompt: "It steams", text_overlay: "Cup" },
  }));
  const { path } = await films.order(ann, { models, stopAt: ["scenario"], ...order });
  await films.rested(ann, path);
  expect((await ann.json("POST", `${path}/approve`, { scenario }, filmKeys)).status).toBe(200);
  return await films.rested(ann, path);
}

test("a film that its voices make longer than its order says so, and which scenes do", async () => {
  const ann = await films.register();
  const film = await filmOf(ann, 1, "A cup that keeps your tea warm until the evening.");
  const { scenes } = await (await ann.request(`/api/projects/${film.projectId}/works/${film.workId}`)).json();
  const lengths = scenes.map(({ duration_seconds }: Json) => duration_seconds);
  expect([film.status, lengths[0], lengths[1] > 3, lengths[2]]).toEqual(["done", 1, true, 1]);
  expect(ofSeconds(film)).toEqual([
    {
      ...{ path: "seconds", code: "voice_too_long" },
      message: `The scenes last ${Number((2 + lengths[1]).toFixed(1))} instead of 3 seconds, because scene 1 is as long as its voice: shorten what it says, or order more seconds.`,
    },
  ]);
});

test("what a voice needs beyond its scene is taken from scenes that can do with less: the film is as long as its order", async () => {
  const ann = await films.register();
  const film = await filmOf(ann, 4, "A cup that keeps your tea warm until the evening of the next day.", {
    seconds: 12,
    music: false,
  });
  const work = await (await ann.request(`/api/projects/${film.projectId}/works/${film.workId}`)).json();
  const seconds = work.scenes[1].duration_seconds;
  expect([film.status, seconds > 4, ofSeconds(film)]).toEqual(["done", true, []]);
  const { videoTrack } = work.editorState.editorData;
  expect(videoTrack.map(({ start, end }: Json) => [start, end])).toEqual([
    [0, 4],
    [4, expect.closeTo(4 + seconds, 6)],
    [expect.closeTo(4 + seconds, 6), 12],
  ]);
});

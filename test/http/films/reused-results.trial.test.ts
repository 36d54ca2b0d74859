import { afterAll, expect, test } from "bun:test";
import { filmModels } from "../../support/models/film-provider.ts";
import { type Json, paidFilms } from "../../support/paid-films.ts";
import { finishedFilms } from "./finished-films.ts";

const films = await paidFilms();
afterAll(films.close);
const { finished, contents } = finishedFilms(films);

const models = { ...filmModels, video: false };

test("an order of the same brief again pays nothing, and an edited scene is paid alone", async () => {
  const ann = await films.register();
  const first = await finished(films.order(ann, { scenes: 2, models }));
  expect(first).toMatchObject({ film: { status: "done" }, paid: { scenario: 1, image: 2, video: 0, voice: 2 } });

  const project = first.film.projectId;
  const again = await finished(films.order(ann, { scenes: 2, models }, project));
  expect(again).toMatchObject({ film: { status: "done" }, cost: "0.00" });
  expect(again.paid).toEqual({ scenario: 0, image: 0, video: 0, voice: 0 });
  for (const slot of ["scene/0/image", "scene/1/image", "scene/1/voice"]) {
    expect(await contents(ann, again.film, slot)).toBe(await contents(ann, first.film, slot));
  }

  const stopped = await finished(films.order(ann, { scenes: 2, models, stopAt: ["scenario"] }, project));
  expect(stopped.paid.scenario).toBe(0);
  const work = await (await ann.request(`/api/projects/${project}/works/${stopped.film.workId}`)).json();
  const scenario = work.scenes.map((scene: Json, at: number) =>
    at === 1 ? { ...scene, image_prompt: "A cup in the snow", voice_text: "Warm in the snow." } : scene,
  );
  await ann.json("POST", `${stopped.path}/approve`, { scenario });
  const edited = await finished({ user: ann, path: stopped.path });
  expect(edited.film.status).toBe("done");
  expect(edited.paid).toEqual({ scenario: 0, image: 1, video: 0, voice: 1 });
});

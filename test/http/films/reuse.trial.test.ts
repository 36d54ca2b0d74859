import { afterAll, expect, test } from "bun:test";
import { filmKeys, paidFilms } from "../../support/paid-films.ts";
import { finishedFilms } from "./finished-films.ts";

const films = await paidFilms();
afterAll(films.close);
const { finished, contents } = finishedFilms(films);

test("what an earlier film has made is made again where its file is lost, and paid for", async () => {
  const ann = await films.register();
  const { film } = await finished(films.order(ann));
  const { workMedia, files } = films.service.services;
  const stored = await workMedia.list(film.workId);
  // the stand-in's clips are alike, and so are its voices
  const lost = stored.filter(({ slot }) => slot === "scene/0/image" || !slot.endsWith("image"));
  await files.remove(lost.map(({ file }) => file.key));
  const again = await finished(films.order(ann, {}, film.projectId));
  expect(again).toMatchObject({ film: { status: "done" }, paid: { scenario: 0, image: 1, video: 3, voice: 3 } });
});

test("a retry makes anew what later orders find, a fresh order finds nothing, nor does another project", async () => {
  const ann = await films.register();
  const first = await finished(films.order(ann));
  const project = first.film.projectId;
  const before = await contents(ann, first.film, "scene/0/image");
  expect((await ann.json("POST", `${first.path}/steps/scene-0-image/retry`, { seed: 7 })).status).toBe(200);
  expect(await films.rested(ann, first.path)).toMatchObject({ waitingFor: "key" });
  expect((await ann.json("POST", `${first.path}/keys`, undefined, filmKeys)).status).toBe(200);
  const retried = await finished({ user: ann, path: first.path });
  expect(retried.film.status).toBe("done");
  expect(retried.paid).toEqual({ scenario: 0, image: 1, video: 1, voice: 0 });
  const made = await contents(ann, retried.film, "scene/0/image");
  expect(made).not.toBe(before);

  const later = await finished(films.order(ann, {}, project));
  expect(later.cost).toBe("0.00");
  expect(await contents(ann, later.film, "scene/0/image")).toBe(made);

  // the pictures are still in the other work
  await ann.request(first.path, { method: "DELETE" });
  await ann.request(`/api/projects/${project}/works/${first.film.workId}`, { method: "DELETE" });
  expect((await finished(films.order(ann, {}, project))).cost).toBe("0.00");

  const anew = { scenario: 1, image: 3, video: 3, voice: 3 };
  expect((await finished(films.order(ann, { fresh: true }, project))).paid).toEqual(anew);
  expect((await finished(films.order(ann))).paid).toEqual(anew);
});

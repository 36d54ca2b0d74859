import { afterAll, expect, test } from "bun:test";
import { filmKeys, type Json, type Order, paidFilms } from "../../support/paid-films.ts";

const films = await paidFilms();
afterAll(films.close);

/** Done, with what was paid. */
const finished = async (order: Promise<Order>) => {
  const { user, path } = await order;
  const before = films.counts();
  const film = await films.rested(user, path);
  const after = films.counts();
  const kinds = ["scenario", "image", "video", "voice"] as const;
  const paid = Object.fromEntries(kinds.map((kind) => [kind, after[kind] - before[kind]]));
  return { film, path, paid, cost: film.spent.amount };
};

const contents = async (user: Order["user"], film: Json, slot: string) => {
  const response = await user.request(`/api/projects/${film.projectId}/works/${film.workId}/media/${slot}`);
  return new Bun.CryptoHasher("sha256").update(await response.arrayBuffer()).digest("hex");
};

test("an order of the same brief again pays nothing, and an edited scene is paid alone", async () => {
  const ann = await films.register();
  const first = await finished(films.order(ann));
  expect(first).toMatchObject({ film: { status: "done" }, paid: { scenario: 1, image: 3, video: 3, voice: 3 } });

  const project = first.film.projectId;
  const again = await finished(films.order(ann, {}, project));
  expect(again).toMatchObject({ film: { status: "done" }, cost: "0.00" });
  expect(again.paid).toEqual({ scenario: 0, image: 0, video: 0, voice: 0 });
  for (const slot of ["scene/0/image", "scene/1/video", "scene/2/voice"]) {
    expect(await contents(ann, again.film, slot)).toBe(await contents(ann, first.film, slot));
  }

  const stopped = await finished(films.order(ann, { stopAt: ["scenario"] }, project));
  expect(stopped.paid.scenario).toBe(0);
  const work = await (await ann.request(`/api/projects/${project}/works/${stopped.film.workId}`)).json();
  const scenario = work.scenes.map((scene: Json, at: number) =>
    at === 1 ? { ...scene, image_prompt: "A cup in the snow", voice_text: "Warm in the snow." } : scene,
  );
  await ann.json("POST", `${stopped.path}/approve`, { scenario });
  const edited = await finished(Promise.resolve({ user: ann, path: stopped.path }));
  expect(edited.film.status).toBe("done");
  expect(edited.paid).toEqual({ scenario: 0, image: 1, video: 1, voice: 1 });
});

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
  const retried = await finished(Promise.resolve({ user: ann, path: first.path }));
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

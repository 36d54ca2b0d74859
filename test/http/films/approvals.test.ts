import { expect, test } from "bun:test";
import { approveFilm } from "../../../src/domain/films/changes.ts";
import { requireFilm } from "../../../src/domain/films/film.ts";
import { orderFilm, restedFilm } from "../../support/films.ts";
import { sharedService } from "../../support/service.ts";

const service = await sharedService();
const ann = await service.register("Ann");

/** A film that waits for the approval of its scenario, and the scenario. */
async function waitingFilm() {
  const { path, projectId, film } = await orderFilm(ann, { stopAt: ["scenario"] });
  await restedFilm(ann, path);
  const stored = await requireFilm(service.services.films, projectId, film.id);
  const work = async () => await (await ann.request(`/api/projects/${projectId}/works/${film.workId}`)).json();
  return { path, stored, work, scenes: (await work()).scenes };
}

test("of two approvals that saw the film wait, the refused one changes neither scenes nor steps", async () => {
  const { stored, work, scenes } = await waitingFilm();
  const named = (text: string) => scenes.map((scene: object) => ({ ...scene, text_overlay: text }));

  await approveFilm(service.services, stored, { scenario: named("First") });
  await expect(approveFilm(service.services, stored, { scenario: named("Second") })).rejects.toThrow();

  expect((await work()).scenes.map(({ text_overlay }: { text_overlay: string }) => text_overlay)).toEqual(
    scenes.map(() => "First"),
  );
});

test("an approval with the same scenes in another form makes nothing again", async () => {
  const { stored, scenes } = await waitingFilm();
  const done = stored.steps.map((step) => (step.scene === undefined ? step : { ...step, status: "done" as const }));
  await service.services.films.change(stored, (found) => ({ ...found, steps: done }));
  const reordered = scenes.map(({ scene_index: _, ...scene }: Record<string, unknown>) =>
    Object.fromEntries(Object.entries(scene).reverse()),
  );

  const { steps } = await approveFilm(service.services, stored, { scenario: reordered });

  const images = steps.filter(({ kind }) => kind === "image").map(({ status }) => status);
  expect(images).toEqual(scenes.map(() => "done"));
});

test("a step to leave out and a scenario are two approvals", async () => {
  const { path, scenes } = await waitingFilm();
  const response = await ann.json("POST", `${path}/approve`, { step: "scene-0-image", scenario: scenes });
  expect([response.status, await response.text()]).toEqual([400, expect.stringContaining("step")]);
});

import { expect, test } from "bun:test";
import { orderOfRow } from "../../../../src/domain/batches/validation/film-rows.ts";
import type { FilmPlan } from "../../../../src/domain/films/film.ts";
import { workFields } from "../../../../src/domain/films/order/work-fields.ts";
import { scenePicture } from "../../../../src/domain/films/steps/scene-pictures.ts";
import type { Project } from "../../../../src/domain/projects/projects.ts";
import { newWork } from "../../../../src/domain/works/save.ts";
import { readFilmOrder } from "../../../../src/http/films/schemas.ts";
import { looks } from "../../../support/looks.ts";

const base = { brief: { text: "{{name}}. {{claim}}" } };
const project = { id: "proj" } as Project;

/** The picture that opens the film of a row. */
function opening(language: string, name: string, claim: string) {
  // safe because nothing else of the batch is read
  const batch = { projectId: "proj", order: { models: {}, targets: ["9:16"] } } as never;
  const { order } = orderOfRow({ readFilmOrder }, batch, base, { language, values: { name, claim } });
  const scene = { duration_seconds: 3, text_overlay: claim };
  const work = { ...newWork(project, workFields(order, name)), scenes: [scene, scene] } as never;
  const { design } = scenePicture({ order, steps: [] } as FilmPlan, { project, work, assets: [], looks }, 0);
  return design;
}

test("the films of a table have the same colors and the same drawing in all languages", () => {
  const english = opening("en", "Trail Bottle", "Keeps cold for a day.");
  expect(opening("de", "Wanderflasche", "Hält einen Tag kalt.")).toEqual(english!);
  expect(english!.html).toContain("opening");
  const lamp = opening("en", "Desk Lamp", "Folds.");
  expect(opening("fr", "Lampe de bureau", "Se plie.")).toEqual(lamp!);
});

import { expect, test } from "bun:test";
import { requireFilm } from "../../../src/domain/films/film.ts";
import { orderFilm } from "../../support/films.ts";
import { sharedService } from "../../support/service.ts";

const service = await sharedService();

test("a film is ordered again in another look, and both stay", async () => {
  const [ann, bob] = [await service.register("Ann"), await service.register("Bob")];
  const wishes = { look: "bold", name: "Fold", fresh: true, stopAt: ["scenario"], budget: { limit: "2" } };
  const { projectId, base, path, film } = await orderFilm(ann, wishes);
  const copied = await ann.json("POST", `${path}/copy`, { look: "swiss" });
  const copy = await copied.json();
  expect([copied.status, copied.headers.get("location")]).toEqual([202, `${base}/${copy.id}`]);
  expect(copy).toMatchObject({ name: "Fold", projectId, budget: { limit: film.budget.limit } });
  expect(copy.workId).not.toBe(film.workId);
  /** Without what its steps have found: each film reads its own brief. */
  const orderOf = async (id: string) => {
    const { found: _, ...order } = (await requireFilm(service.services.films, projectId, id)).order;
    return order;
  };
  // what the first film has made is reused
  const { fresh: _, ...order } = await orderOf(film.id);
  expect(await orderOf(copy.id)).toEqual({ ...order, look: "swiss" });
  expect((await (await ann.request(path)).json()).name).toBe("Fold");

  const palette = { lead: "#205030", accent: "#F0C020", dark: "#101810", light: "#f4fff4" };
  const green = await (await ann.json("POST", `${path}/copy`, { palette })).json();
  expect((await orderOf(green.id)).palette).toEqual({ ...palette, accent: "#f0c020" });
  const named = await (await ann.json("POST", `${path}/copy`, { name: "Fold 2" })).json();
  expect([named.name, (await orderOf(named.id)).look]).toEqual(["Fold 2", "bold"]);
  const refused = await ann.json("POST", `${path}/copy`, { look: "nothing" });
  const gray = await ann.json("POST", `${path}/copy`, { palette: { ...palette, lead: "green" } });
  expect([gray.status, (await gray.json()).details[0].path]).toEqual([400, "palette.lead"]);
  expect([refused.status, (await refused.json()).details[0].path]).toEqual([400, "look"]);
  expect((await bob.json("POST", `${path}/copy`, {})).status).toBe(404);
});

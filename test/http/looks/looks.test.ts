import { expect, test } from "bun:test";
import { orderFilm } from "../../support/films.ts";
import { looks } from "../../support/looks.ts";
import { sharedService } from "../../support/service.ts";

const service = await sharedService();

const get = (path: string) => service.app.request(path);

test("the list has every look with its palettes and a moving picture that anyone can read", async () => {
  const { looks: listed } = await (await get("/api/looks")).json();
  expect(listed.map(({ name }: { name: string }) => name)).toEqual([...looks.keys()]);
  for (const { title, palettes, preview } of listed) {
    expect(title).not.toBe("");
    expect(palettes.length).toBeGreaterThan(0);
    const response = await get(preview);
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "image/webp"]);
    const head = Buffer.from(await response.bytes()).toString("latin1", 0, 100);
    expect(head).toContain("WEBP");
    expect(head).toContain("ANIM");
  }
  expect((await get("/api/looks/none/preview")).status).toBe(404);
});

test("an order with a look that does not exist is refused, with the names of those that do", async () => {
  const ann = await service.register("Ann");
  const { response, film: error } = await orderFilm(ann, { look: "none" });
  expect([response.status, error.code, error.details[0].path]).toEqual([400, "validation_error", "look"]);
  expect(JSON.stringify(error.details)).toContain([...looks.keys()].join(", "));
});

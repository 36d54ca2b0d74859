import { expect, test } from "bun:test";
import { filmProject, orderFilm, smallFilm } from "../../support/films.ts";
import { filesOfLook, lookZip } from "../../support/looks.ts";
import { sharedService } from "../../support/service.ts";

const service = await sharedService();
const swiss = filesOfLook("swiss");
type User = Awaited<ReturnType<typeof service.register>>;

async function upload(user: User, projectId: string, file: File, name?: string) {
  const form = new FormData();
  if (name) form.set("name", name);
  form.set("file", file);
  const response = await user.request(`/api/projects/${projectId}/looks`, { method: "POST", body: form });
  return { status: response.status, body: await response.json() };
}

const withPrefix = (prefix: string, files: Record<string, string>) =>
  Object.fromEntries(Object.entries(files).map(([name, text]) => [`${prefix}${name}`, text]));

test("a project uploads a look, orders films with it, replaces it and removes it; other projects do not see it", async () => {
  const ann = await service.register("Ann");
  const { projectId: id, base } = await filmProject(ann);
  const path = `/api/projects/${id}/looks`;
  const added = await upload(ann, id, await lookZip(withPrefix("My Look/", swiss), "My Look.zip"));
  expect([added.status, added.body.name]).toEqual([201, "my-look"]);
  expect((await (await ann.request(path)).json()).looks).toEqual([added.body]);
  const look = { ...JSON.parse(swiss["look.json"]!), title: "Second" };
  const replaced = await upload(ann, id, await lookZip({ ...swiss, "look.json": JSON.stringify(look) }), "my-look");
  expect(replaced.body.title).toBe("Second");
  expect((await (await ann.request(path)).json()).count).toBe(1);

  const ordered = await ann.json("POST", base, { ...smallFilm, look: "my-look" });
  expect(ordered.status).toBe(202);
  const elsewhere = await orderFilm(ann, { look: "my-look" });
  expect(elsewhere.response.status).toBe(400);

  const sheet = await ann.request(`${added.body.preview}?format=16:9`);
  expect([sheet.status, sheet.headers.get("content-type")]).toEqual([200, "image/png"]);
  const bob = await service.register("Bob");
  expect((await bob.request(path)).status).toBe(404);
  expect((await ann.request(`${path}/my-look`, { method: "DELETE" })).status).toBe(204);
  expect((await ann.request(`${path}/my-look`, { method: "DELETE" })).status).toBe(404);
});

test("the look that the docs describe is one", async () => {
  const ann = await service.register("Ann");
  const { projectId: id } = await filmProject(ann);
  const page = await Bun.file(new URL("../../../docs/looks.md", import.meta.url)).text();
  const [, look = ""] = /```json\n(.*?)```/su.exec(page) ?? [];
  const [, claim = ""] = /```html\n(.*?)```/su.exec(page) ?? [];
  const added = await upload(ann, id, await lookZip({ "look.json": look, "claim.html": claim }), "harvest");
  expect([added.status, added.body.title]).toEqual([201, "Harvest"]);
});

test("a look that is wrong is refused with the file that is", async () => {
  const ann = await service.register("Ann");
  const { projectId: id } = await filmProject(ann);
  const refused = async (files: Record<string, string>, name?: string) => {
    const { status, body } = await upload(ann, id, await lookZip(files), name);
    return [status, body.code, body.details?.[0]?.path];
  };
  const json = (change: object) => JSON.stringify({ ...JSON.parse(swiss["look.json"]!), ...change });
  expect(await refused({ "look.css": "" })).toEqual([400, "validation_error", "look.json"]);
  expect(await refused({ ...swiss, "look.json": "{" })).toEqual([400, "validation_error", "look.json"]);
  expect(await refused({ ...swiss, "look.json": json({ grain: 7 }) })).toEqual([
    400,
    "validation_error",
    "look.json.grain",
  ]);
  const { type } = JSON.parse(swiss["look.json"]!);
  const unknown = json({ type: { ...type, text: { ...type.text, family: "No Such Font" } } });
  expect(await refused({ ...swiss, "look.json": unknown })).toEqual([
    400,
    "validation_error",
    "look.json.type.text.family",
  ]);
  const moving = json({ motion: { words: { enter: "no-such-move" } } });
  expect(await refused({ ...swiss, "look.json": moving })).toEqual([400, "validation_error", "look.json.motion"]);
  expect(await refused({ ...swiss, "opener.html": "" })).toEqual([400, "validation_error", "opener.html"]);
  expect(await refused({ ...swiss, "claim.html": "<p>nothing</p>" })).toEqual([400, "validation_error", "claim.html"]);
  expect(await refused(swiss, "bold")).toEqual([400, "validation_error", "name"]);
  expect(await refused(swiss, "No Name")).toEqual([400, "validation_error", "name"]);
  const noZip = await upload(ann, id, new File(["no zip"], "a.zip"));
  expect([noZip.status, noZip.body.code]).toEqual([415, "unsupported_media_type"]);
  const large = await upload(ann, id, await lookZip({ ...swiss, "look.css": "/**/".repeat(600_000) }));
  expect([large.status, large.body.code]).toEqual([415, "unsupported_media_type"]);
});

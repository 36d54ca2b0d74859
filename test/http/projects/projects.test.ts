import { expect, test } from "bun:test";
import { newId } from "../../../src/domain/shared/ids.ts";
import { jsonClient } from "../../support/json-client.ts";
import { sharedService } from "../../support/service.ts";
import { isStored, storedFile } from "../../support/stored-files.ts";

const service = await sharedService();

const annUser = await service.register("Ann");
const ann = jsonClient(annUser);
const bob = jsonClient(await service.register("Bob"));

const newProject = async (fields: object = {}) =>
  (await ann("POST", "/api/projects", { name: "Launch film", ...fields })).body;

test("a project requires only a name; other fields get defaults", async () => {
  const { status, headers, body } = await ann("POST", "/api/projects", { name: "  Launch film " });
  expect(status).toBe(201);
  expect(headers.get("etag")).toBe('"r1"');
  expect(body).toMatchObject({ name: "Launch film", userId: annUser.user.id, knowledge: "", analyzerPrompt: "" });
  expect(body.id).toMatch(/^proj_/);
  for (const prompt of ["systemPrompt", "imageSystemPrompt", "videoSystemPrompt"]) {
    expect(body[prompt].length).toBeGreaterThan(100);
  }
  expect(body.updatedAt).toBe(body.createdAt);
  expect(Math.abs(body.createdAt - Date.now())).toBeLessThan(60_000);
  expect(body).not.toHaveProperty("revision");
  expect(body).not.toHaveProperty("styleGuide");
});

test("every field is stored as sent, with unknown keys of the style guide", async () => {
  const fields = {
    systemPrompt: "Be brief.",
    knowledge: "Made in Bergen.",
    projectType: "saas",
    styleGuide: { tone: "warm", color_palette: ["#fff"], must_avoid: ["rain"], own: { deep: [1, null] } },
  };
  const created = await newProject(fields);
  expect(created).toMatchObject(fields);
  expect((await ann("GET", `/api/projects/${created.id}`)).body).toEqual(created);
});

test("the project type chooses the default prompts", async () => {
  const news = await newProject({ projectType: "news" });
  const social = await newProject({ projectType: "social" });
  expect(news.systemPrompt).not.toBe(social.systemPrompt);
});

test("PUT changes only the given fields", async () => {
  const created = await newProject({ knowledge: "old", styleGuide: { tone: "warm" } });
  const { status, body } = await ann("PUT", `/api/projects/${created.id}`, { knowledge: "new" });
  expect(status).toBe(200);
  expect(body).toEqual({ ...created, knowledge: "new", updatedAt: body.updatedAt });
  expect(body.updatedAt).toBeGreaterThanOrEqual(created.updatedAt);
});

test("PUT replaces a nested object as a whole", async () => {
  const created = await newProject({ styleGuide: { tone: "warm", tempo: "slow" } });
  const { body } = await ann("PUT", `/api/projects/${created.id}`, { styleGuide: { tone: "cold" } });
  expect(body.styleGuide).toEqual({ tone: "cold" });
});

test("null clears an optional field or restores its default", async () => {
  const created = await newProject({
    styleGuide: { tone: "x" },
    systemPrompt: "mine",
    knowledge: "k",
    projectType: "news",
  });
  const cleared = { styleGuide: null, systemPrompt: null, knowledge: null };
  const { body } = await ann("PUT", `/api/projects/${created.id}`, cleared);
  expect(body).not.toHaveProperty("styleGuide");
  expect(body).toMatchObject({ knowledge: "", systemPrompt: (await newProject({ projectType: "news" })).systemPrompt });
});

test("a complete project may be sent back; its timestamps are ignored", async () => {
  const created = await newProject();
  const { status, body } = await ann("PUT", `/api/projects/${created.id}`, { ...created, createdAt: 1, updatedAt: 1 });
  expect(status).toBe(200);
  expect(body).toEqual({ ...created, updatedAt: body.updatedAt });
  expect(body.updatedAt).toBeGreaterThan(1);
});

test.each(["id", "userId"])("a body with another %s is rejected", async (field) => {
  const created = await newProject();
  const { status, body } = await ann("PUT", `/api/projects/${created.id}`, { name: "x", [field]: "other" });
  expect([status, body.code]).toEqual([400, "id_mismatch"]);
  expect((await ann("GET", `/api/projects/${created.id}`)).body.name).toBe(created.name);
});

test.each([
  [{}, "name"],
  [{ name: "  " }, "name"],
  [{ name: null }, "name"],
  [{ name: "x".repeat(201) }, "name"],
  [{ name: "x", projectType: "opera" }, "projectType"],
  [{ name: "x", knowledge: 5 }, "knowledge"],
  [{ name: "x", styleGuide: [] }, "styleGuide"],
  [{ name: "x", styleGuide: { tone: 5 } }, "styleGuide.tone"],
  [{ name: "x", styleGuide: { color_palette: "red" } }, "styleGuide.color_palette"],
  [{ name: "x", styleGuide: { must_include: ["a", 1] } }, "styleGuide.must_include.1"],
])("%j is rejected and its invalid field is named", async (sent, path) => {
  const { status, body } = await ann("POST", "/api/projects", sent);
  expect([status, body.code, body.details[0].path]).toEqual([400, "validation_error", path]);
});

test("the name cannot be cleared", async () => {
  const { id } = await newProject();
  expect((await ann("PUT", `/api/projects/${id}`, { name: null })).status).toBe(400);
});

test("the list has the caller's own projects, last changed first", async () => {
  const cat = jsonClient(await service.register("Cat"));
  const first = (await cat("POST", "/api/projects", { name: "first" })).body;
  const second = (await cat("POST", "/api/projects", { name: "second" })).body;
  const changed = (await cat("PUT", `/api/projects/${first.id}`, { name: "first again" })).body;
  expect((await cat("GET", "/api/projects")).body).toEqual([changed, second]);
});

test("each page links to the next, except the last", async () => {
  const dan = jsonClient(await service.register("Dan"));
  for (const name of ["1", "2", "3"]) await dan("POST", "/api/projects", { name });
  const first = await dan("GET", "/api/projects?limit=2&unknown=x");
  const [, next] = /^<(.+)>; rel="next"$/.exec(first.headers.get("link")!)!;
  const last = await dan("GET", next!);
  expect([...first.body, ...last.body].map(({ name }) => name)).toEqual(["3", "2", "1"]);
  expect(last.headers.has("link")).toBe(false);
});

test.each(["limit=0", "limit=1001", "limit=x", "cursor=!!", "cursor=AAAA"])("?%s is rejected", async (query) => {
  const { status, body } = await ann("GET", `/api/projects?${query}`);
  expect([status, body.code]).toEqual([400, "validation_error"]);
});

test("a stale If-Match is 412, and a matching If-None-Match is 304", async () => {
  const { id } = await newProject();
  const path = `/api/projects/${id}`;
  const { headers } = await ann("PUT", path, { name: "second" }, { "if-match": '"r1"' });
  expect(headers.get("etag")).toBe('"r2"');

  for (const [method, body] of [["PUT", { name: "third" }], ["DELETE"]] as const) {
    const stale = await ann(method, path, body, { "if-match": '"r1"' });
    expect([stale.status, stale.body.code]).toEqual([412, "precondition_failed"]);
  }
  const known = await ann("GET", path, undefined, { "if-none-match": '"r2"' });
  expect([known.status, known.body, known.headers.get("etag")]).toEqual([304, undefined, '"r2"']);
  expect((await ann("DELETE", path, undefined, { "if-match": "*" })).status).toBe(204);
});

test("another user's project, a malformed id and a deleted project are 404 before the body is validated", async () => {
  const { id } = await newProject();
  const deleted = await newProject();
  await ann("DELETE", `/api/projects/${deleted.id}`);
  const responses = await Promise.all([
    bob("GET", `/api/projects/${id}`),
    bob("PUT", `/api/projects/${id}`, { name: 5 }),
    bob("DELETE", `/api/projects/${id}`),
    ann("GET", `/api/projects/${deleted.id}`),
    ann("PUT", `/api/projects/${id}x`, { name: 5 }),
    ann("GET", "/api/projects/%00"),
  ]);
  for (const { status, body } of responses)
    expect([status, body.code, body.error]).toEqual([404, "not_found", "Not found"]);
  expect((await ann("GET", `/api/projects/${id}`)).status).toBe(200);
});

test("deleting a project deletes its works, templates and files", async () => {
  const { files, assets, works, workMedia, templates } = service.services;
  const path = `/api/projects/${(await newProject()).id}`;
  const work = (await ann("POST", `${path}/works`, {})).body;
  const template = (await ann("POST", `${path}/templates`, { name: "t", content: {} })).body;
  const { projectId } = work;
  const assetFile = await storedFile(files, projectId);
  const mediaFile = await storedFile(files, projectId);
  await assets.add({ ...anAsset, projectId, file: assetFile });
  await workMedia.put(projectId, work.id, { slot: "audio", file: mediaFile, createdAt: 1 }, (found) => found);

  expect(await ann("DELETE", path)).toMatchObject({ status: 204, body: undefined });
  expect(await works.find(projectId, work.id)).toBeUndefined();
  expect(await templates.find(projectId, template.id)).toBeUndefined();
  expect(await assets.find(projectId, anAsset.id)).toBeUndefined();
  expect([await isStored(files, assetFile), await isStored(files, mediaFile)]).toEqual([false, false]);
});

const anAsset = { id: newId("asset"), name: "a", type: "image" as const, createdAt: 1, updatedAt: 1, revision: 1 };

import { expect, test } from "bun:test";
import { newId } from "../../../src/domain/shared/ids.ts";
import { exportJobs } from "../../../src/storage/exports/tables.ts";
import { anAsset, aProject, aTemplate, aWork } from "../../storage/samples.ts";
import { jsonClient } from "../../support/json-client.ts";
import { sharedService, type TestUser } from "../../support/service.ts";

const service = await sharedService();

const { projects, assets, templates, works, apiTokens, ledger } = service.services;
const mebibyte = 1024 * 1024;
const long = `${"x".repeat(1998)}é😀😀😀`;
const cut = `${"x".repeat(1998)}é😀`;

/** A user with a project. */
async function userWithProject() {
  const user = await service.register();
  const project = await projects.add(aProject(user.user.id));
  return { user, userId: user.user.id, projectId: project.id, base: `/api/projects/${project.id}` };
}

type Item = { readonly id: string };

/** Every page of a list: its items, which may be a field of the body, and its size. */
async function pagesOf(user: TestUser, path: string, field?: string) {
  const pages = [];
  for (let next: string | undefined = path; next; ) {
    const response = await user.request(next);
    const text = await response.text();
    const body = JSON.parse(text);
    const items: readonly Item[] = field ? body[field] : body;
    pages.push({ items, bytes: Buffer.byteLength(text) });
    next = /<([^>]+)>; rel="next"/.exec(response.headers.get("link") ?? "")?.[1];
  }
  return pages;
}

test("a list cuts texts after 2,000 characters, and the project itself has them whole", async () => {
  const user = await service.register();
  const ann = jsonClient(user);
  const styleGuide = { tone: "dry", notes: { deep: [1, { note: long }, null] }, must_avoid: [cut] };
  const prompts = { systemPrompt: long, analyzerPrompt: long, imageSystemPrompt: long, videoSystemPrompt: long };
  const { body: project } = await ann("POST", "/api/projects", { name: "P", knowledge: long, styleGuide, ...prompts });

  const [listed] = (await ann("GET", "/api/projects")).body;

  expect(listed).toEqual({
    ...project,
    systemPrompt: cut,
    analyzerPrompt: cut,
    imageSystemPrompt: cut,
    videoSystemPrompt: cut,
    knowledge: cut,
    styleGuide: { tone: "dry", notes: { deep: [1, { note: cut }, null] }, must_avoid: [cut] },
  });
  expect((await ann("GET", `/api/projects/${project.id}`)).body).toEqual({ ...project, styleGuide, ...prompts });
});

test("every other list cuts texts too", async () => {
  const { user, userId, projectId, base } = await userWithProject();
  const times = { createdAt: 1_000, updatedAt: 1_000 };
  await assets.add(anAsset(projectId, { description: long, tags: ["a", long] }));
  await templates.add(aTemplate(projectId, { description: long, tags: [long] }));
  await works.add(aWork(projectId, { name: long }));
  const token = { id: newId("tok"), userId, name: long, tokenPrefix: "rw_", hash: "hash", scopes: [] };
  await apiTokens.add({ ...token, lastUsedAt: null, expiresAt: null, createdAt: 1_000 });
  const call = { id: newId("call"), userId, provider: "acme", model: long, purpose: "image" } as const;
  await ledger.reserve({ ...call, estimate: 0n, holderId: "none", createdAt: 1_000 });
  await ledger.end({ id: call.id, state: "settled", cost: 0n, milliseconds: 1, outcome: "ok" });
  await addExport(userId, projectId, { name: long, ...times });
  const first = async (path: string, field?: string) => (await pagesOf(user, path, field))[0]!.items[0];

  expect(await first(`${base}/assets`, "assets")).toMatchObject({ description: cut, tags: ["a", cut] });
  expect(await first(`${base}/templates`, "templates")).toMatchObject({ description: cut, tags: [cut] });
  expect(await first(`${base}/works`)).toMatchObject({ name: cut });
  expect(await first("/api/tokens")).toMatchObject({ name: cut });
  expect(await first("/api/usage", "calls")).toMatchObject({ model: cut });
  expect(await first("/api/exports", "exports")).toMatchObject({ name: cut });
});

/** A finished export whose request has a text. */
async function addExport(userId: string, projectId: string, { name = "Film", text = "", createdAt = 1_000 }) {
  await service.db.insert(exportJobs).values({
    id: newId("exp"),
    userId,
    projectId,
    workId: newId("work"),
    name,
    scopes: [],
    request: { clips: [], texts: [{ text, position: 0, end: 1 }], options: { width: 64, height: 64, fps: 30 } },
    status: "cancelled",
    frames: 0,
    framesDone: 0,
    framesRendered: 0,
    warnings: [],
    attempt: 0,
    revision: 0,
    createdAt,
    finishedAt: createdAt,
    expiresAt: 9e12,
  } as unknown as typeof exportJobs.$inferInsert);
}

/** About a quarter of a mebibyte in texts that are not cut. */
const styleGuide = { must_include: Array.from({ length: 129 }, () => "x".repeat(2000)) };

test("a page of projects ends before 8 MiB, and the pages together are the whole list", async () => {
  const { user, userId, projectId } = await userWithProject();
  const added = [];
  for (let index = 0; index < 40; index++) {
    added.unshift(await projects.add(aProject(userId, { styleGuide, updatedAt: 2_000 + index, knowledge: long })));
  }

  const pages = await pagesOf(user, "/api/projects");

  expect(pages.map(({ items }) => items.length)).toEqual([32, 9]);
  expect(pages[0]!.bytes).toBeWithin(7 * mebibyte, 8 * mebibyte);
  const ids = pages.flatMap(({ items }) => items.map(({ id }) => id));
  expect(ids).toEqual([...added.map(({ id }) => id), projectId]);
});

test("rows and bytes limit a page together", async () => {
  const { user, userId } = await userWithProject();
  for (let index = 0; index < 40; index++) await projects.add(aProject(userId, { styleGuide, updatedAt: index }));

  const pages = await pagesOf(user, "/api/projects?limit=30");

  expect(pages.map(({ items }) => items.length)).toEqual([30, 11]);
});

test("a row that is larger than a page is a page of its own", async () => {
  const { user, userId } = await userWithProject();
  const large = { notes: Array.from({ length: 5000 }, () => "x".repeat(2000)) };
  for (const updatedAt of [2_000, 3_000]) await projects.add(aProject(userId, { styleGuide: large, updatedAt }));

  const pages = await pagesOf(user, "/api/projects");

  expect(pages.map(({ items }) => items.length)).toEqual([1, 1, 1]);
});

test("1,000 projects with default prompts are one page", async () => {
  const { user, userId } = await userWithProject();
  const prompt = "x".repeat(1800);
  const prompts = { systemPrompt: prompt, imageSystemPrompt: prompt, videoSystemPrompt: prompt };
  for (let index = 0; index < 999; index++) await projects.add(aProject(userId, { ...prompts, updatedAt: index }));

  const pages = await pagesOf(user, "/api/projects");

  expect(pages.map(({ items }) => items.length)).toEqual([1000]);
});

test("a page ends before 8 MiB also if JSON makes its texts six times as long", async () => {
  const { user, userId } = await userWithProject();
  const text = "\u0001".repeat(2000);
  const prompts = { systemPrompt: text, analyzerPrompt: text, imageSystemPrompt: text, videoSystemPrompt: text };
  for (let index = 0; index < 150; index++) {
    await projects.add(aProject(userId, { ...prompts, knowledge: text, updatedAt: 2_000 + index }));
  }

  const pages = await pagesOf(user, "/api/projects");

  expect(pages.map(({ items }) => items.length)).toEqual([138, 13]);
  expect(pages[0]!.bytes).toBeWithin(7 * mebibyte, 8 * mebibyte);
});

test("assets and templates are paged by what their rows hold in the database, exports without their requests", async () => {
  const { user, userId, projectId, base } = await userWithProject();
  const tags = Array.from({ length: 1500 }, () => "x".repeat(2000));
  const imageOverlays: never[] = [];
  for (const createdAt of [1, 2, 3]) {
    await assets.add(anAsset(projectId, { tags, createdAt }));
    const textOverlays = [{ id: "a", text: tags.join() }] as never;
    await templates.add(aTemplate(projectId, { content: { textOverlays, imageOverlays }, updatedAt: createdAt }));
    await addExport(userId, projectId, { text: tags.join(), createdAt });
  }
  const lengths = async (path: string, field: string) =>
    (await pagesOf(user, path, field)).map((page) => page.items.length);

  expect(await lengths(`${base}/assets`, "assets")).toEqual([2, 1]);
  expect(await lengths(`${base}/templates`, "templates")).toEqual([2, 1]);
  expect(await lengths("/api/exports", "exports")).toEqual([3]);
});

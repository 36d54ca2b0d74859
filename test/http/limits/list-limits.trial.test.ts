import { expect, test } from "bun:test";
import { anAsset, aProject, aTemplate } from "../../storage/samples.ts";
import { sharedService } from "../../support/service.ts";
import { addExport, mebibyte, pagesOf, userWithProject } from "./pages.ts";

const service = await sharedService();

const { projects, assets, templates } = service.services;
const long = "x".repeat(2001);

/** About a quarter of a mebibyte in texts that are not cut. */
const styleGuide = { must_include: Array.from({ length: 129 }, () => "x".repeat(2000)) };

test("a page of projects ends before 8 MiB, and the pages together are the whole list", async () => {
  const { user, userId, projectId } = await userWithProject(service);
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
  const { user, userId } = await userWithProject(service);
  for (let index = 0; index < 40; index++) await projects.add(aProject(userId, { styleGuide, updatedAt: index }));

  const pages = await pagesOf(user, "/api/projects?limit=30");

  expect(pages.map(({ items }) => items.length)).toEqual([30, 11]);
});

test("a row that is larger than a page is a page of its own", async () => {
  const { user, userId } = await userWithProject(service);
  const large = { notes: Array.from({ length: 5000 }, () => "x".repeat(2000)) };
  for (const updatedAt of [2_000, 3_000]) await projects.add(aProject(userId, { styleGuide: large, updatedAt }));

  const pages = await pagesOf(user, "/api/projects");

  expect(pages.map(({ items }) => items.length)).toEqual([1, 1, 1]);
});

test("1,000 projects with default prompts are one page", async () => {
  const { user, userId } = await userWithProject(service);
  const prompt = "x".repeat(1800);
  const prompts = { systemPrompt: prompt, imageSystemPrompt: prompt, videoSystemPrompt: prompt };
  for (let index = 0; index < 999; index++) await projects.add(aProject(userId, { ...prompts, updatedAt: index }));

  const pages = await pagesOf(user, "/api/projects");

  expect(pages.map(({ items }) => items.length)).toEqual([1000]);
});

test("assets and templates are paged by what their rows hold in the database, exports without their requests", async () => {
  const { user, userId, projectId, base } = await userWithProject(service);
  const tags = Array.from({ length: 1500 }, () => "x".repeat(2000));
  const imageOverlays: never[] = [];
  for (const createdAt of [1, 2, 3]) {
    await assets.add(anAsset(projectId, { tags, createdAt }));
    const textOverlays = [{ id: "a", text: tags.join() }] as never;
    await templates.add(aTemplate(projectId, { content: { textOverlays, imageOverlays }, updatedAt: createdAt }));
    await addExport(service, { userId, projectId }, { text: tags.join(), createdAt });
  }
  const lengths = async (path: string, field: string) =>
    (await pagesOf(user, path, field)).map((page) => page.items.length);

  expect(await lengths(`${base}/assets`, "assets")).toEqual([2, 1]);
  expect(await lengths(`${base}/templates`, "templates")).toEqual([2, 1]);
  expect(await lengths("/api/exports", "exports")).toEqual([3]);
});

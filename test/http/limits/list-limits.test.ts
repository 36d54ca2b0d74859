import { expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { newId } from "../../../src/domain/shared/ids.ts";
import { anAsset, aProject, aTemplate, aWork } from "../../storage/samples.ts";
import { jsonClient } from "../../support/json-client.ts";
import { sharedService } from "../../support/service.ts";
import { addExport, mebibyte, pagesOf, userWithProject } from "./pages.ts";

const service = await sharedService();

const { projects, assets, templates, works, apiTokens, ledger } = service.services;
const long = `${"x".repeat(1998)}é😀😀😀`;
const cut = `${"x".repeat(1998)}é😀`;

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
  const { user, userId, projectId, base } = await userWithProject(service);
  await assets.add(anAsset(projectId, { description: long, tags: ["a", long] }));
  await templates.add(aTemplate(projectId, { description: long, tags: [long] }));
  await works.add(aWork(projectId, { name: long }));
  const token = { id: newId("tok"), userId, name: long, tokenPrefix: "rw_", hash: "hash", scopes: [] };
  await apiTokens.add({ ...token, lastUsedAt: null, expiresAt: null, createdAt: 1_000 });
  const call = { id: newId("call"), userId, provider: "acme", model: long, purpose: "image" } as const;
  await ledger.reserve({ ...call, estimate: 0n, holderId: "none", createdAt: 1_000 });
  await ledger.end({ id: call.id, state: "settled", cost: 0n, milliseconds: 1, outcome: "ok" });
  await addExport(service, { userId, projectId }, { name: long });
  const first = async (path: string, field?: string) => (await pagesOf(user, path, field))[0]!.items[0];

  expect(await first(`${base}/assets`, "assets")).toMatchObject({ description: cut, tags: ["a", cut] });
  expect(await first(`${base}/templates`, "templates")).toMatchObject({ description: cut, tags: [cut] });
  expect(await first(`${base}/works`)).toMatchObject({ name: cut });
  expect(await first("/api/tokens")).toMatchObject({ name: cut });
  expect(await first("/api/usage", "calls")).toMatchObject({ model: cut });
  expect(await first("/api/exports", "exports")).toMatchObject({ name: cut });
});

test("a page ends before 8 MiB also if JSON makes its texts six times as long", async () => {
  const { user, userId } = await userWithProject(service);
  const text = "\u0001".repeat(2000);
  const prompts = { systemPrompt: text, analyzerPrompt: text, imageSystemPrompt: text, videoSystemPrompt: text };
  const row = await projects.add(aProject(userId, { ...prompts, knowledge: text, updatedAt: 2_000 }));
  await service.seeding.execute(sql`insert into projects
    select (jsonb_populate_record(p, jsonb_build_object('id', id || number, 'updated_at', 2000 + number))).*
    from projects p, generate_series(1, 149) number where id = ${row.id}`);

  const pages = await pagesOf(user, "/api/projects");

  expect(pages.map(({ items }) => items.length)).toEqual([138, 13]);
  expect(pages[0]!.bytes).toBeWithin(7 * mebibyte, 8 * mebibyte);
});

import { afterAll, beforeEach, expect, test } from "bun:test";
import { idChanger } from "../../../src/storage/archive/import.ts";
import { apiTokens, users } from "../../../src/storage/tables/accounts.ts";
import { assets, projects } from "../../../src/storage/tables/projects.ts";
import { archiveOf, importInto, rewritten, rowsOf } from "../../support/archives.ts";
import { jsonClient } from "../../support/json-client.ts";
import { testService } from "../../support/service.ts";
import { png } from "../../support/uploads.ts";
import { newWork } from "../../support/work-videos.ts";

const source = await testService();
const target = await testService();
afterAll(() => Promise.all([source.close(), target.close()]));

const ann = await source.register("Ann");
const work = await newWork(ann);
await work.asset(png());
const { projectId } = work;
const token = await jsonClient(ann)("POST", "/api/tokens", { name: "CI", scopes: ["projects:read"] });
const user = { id: ann.user.id, email: ann.user.email };
const ofProject = (await archiveOf(source, { kind: "project", project: { id: projectId, name: "Launch" }, user }))
  .bytes;
const ofUser = (await archiveOf(source, { kind: "user", user })).bytes;

const storedKeys = () => target.files.keysWrittenBefore(Number.POSITIVE_INFINITY);

beforeEach(async () => {
  await target.db.delete(users);
  await target.files.remove(await storedKeys());
});

const lineOf = (table: string, row: object) => `${JSON.stringify({ table, row })}\n`;

const otherId = (prefix: string) => `${prefix}_${"0123456789abcdef".repeat(2)}`;

const rowOfToken = {
  id: otherId("tok"),
  user_id: user.id,
  name: "Mine",
  token_prefix: "rw_",
  hash: "0".repeat(64),
  scopes: ["projects:read"],
  last_used_at: null,
  expires_at: null,
  created_at: 1,
};
const rowOfUser = {
  id: user.id,
  email: "eve@example.com",
  name: "Eve",
  password_hash: "-",
  created_at: 1,
  updated_at: 1,
};

const rowOfCall = {
  ...{ id: otherId("call"), user_id: user.id, project_id: projectId, work_id: null, film_id: otherId("film") },
  ...{ step_id: null, provider: "openai", model: "m", purpose: "image", state: "settled", estimate: 1, cost: 1 },
  ...{ job: null, milliseconds: 1, outcome: "ok", input_tokens: null, output_tokens: null, seconds: null },
  ...{ images: null, characters: null, created_at: 1 },
};

const withRow = (archive: Uint8Array, table: string, row: object) =>
  rewritten(archive, (text, kind) => (kind === "rows" ? text + lineOf(table, row) : text));

const copiedRow = async (table: string, change: object) => {
  const [line = ""] = (await rowsOf(source))[table] ?? [];
  return { ...JSON.parse(line), ...change };
};

const refused = async (result: Promise<unknown>): Promise<string> => {
  const message = await result.then(
    () => "no error",
    (error: Error) => error.message,
  );
  expect(message.split("\n")).toHaveLength(1);
  // neither the rows of the batch nor its files stay
  expect([await target.db.$count(projects), await target.db.$count(apiTokens), await storedKeys()]).toEqual([0, 0, []]);
  return message;
};

test("an archive of a project adds no row of an account, also with new ids", async () => {
  const bob = await target.register("Bob");
  const changeIds = idChanger(user.id, bob.user.id);
  for (const [table, row] of [
    ["api_tokens", rowOfToken],
    ["users", rowOfUser],
    ["users", { ...rowOfUser, id: otherId("user") }],
  ] as const) {
    const message = await refused(importInto(target, await withRow(ofProject, table, row), { changeIds }));
    expect(message).toMatch(new RegExp(`^The archive holds ${table} .* which is not of its project\\.$`));
  }
  expect(await target.db.$count(users)).toBe(1);
});

test("an archive adds no row of another account or project than its own", async () => {
  const theirs = { user_id: otherId("user") };
  const foreign = [
    [ofUser, "api_tokens", { ...rowOfToken, ...theirs }],
    [ofUser, "users", { ...rowOfUser, id: otherId("user") }],
    [ofUser, "projects", await copiedRow("projects", { id: otherId("proj"), ...theirs })],
    [ofProject, "projects", await copiedRow("projects", { id: otherId("proj") })],
    [ofProject, "works", await copiedRow("works", { id: otherId("work"), project_id: otherId("proj") })],
    [ofProject, "upstream_calls", rowOfCall],
    [ofProject, "assets", await copiedRow("assets", { id: otherId("asset"), project_id: otherId("proj") })],
  ] as const;
  for (const [archive, table, row] of foreign) {
    expect(await refused(importInto(target, await withRow(archive, table, row)))).toMatch(
      /, which is not of its (account|project)\.$/,
    );
  }
});

test("with --keep-existing an archive adds nothing to a project of somebody else", async () => {
  const bob = await target.register("Bob");
  const theirs = (await newWork(bob)).projectId;
  const asOwn = await rewritten(ofProject, (text) => text.replaceAll(projectId, theirs));
  await target.db.insert(users).values({ ...user, name: "Ann", passwordHash: "-", createdAt: 1, updatedAt: 1 });
  const imported = importInto(target, asOwn, { keepsExisting: true });
  await expect(imported).rejects.toThrow(`projects ${theirs} is there, and belongs to something else`);
  expect(await target.db.$count(assets)).toBe(0);
});

test("a file outside the folders of an archive's own rows is refused", async () => {
  const elsewhere = await rewritten(ofProject, (text, kind) =>
    kind === "manifest" ? text : text.replaceAll(`${projectId}/media`, `${otherId("proj")}/media`),
  );
  await target.db.insert(users).values({ ...user, name: "Ann", passwordHash: "-", createdAt: 1, updatedAt: 1 });
  expect(await refused(importInto(target, elsewhere))).toMatch(/^The file .* of assets .* is not of its project\.$/);

  const unnamed = await rewritten(ofUser, (text, kind) =>
    kind === "rows"
      ? text
          .split("\n")
          .filter((line) => !line.startsWith('{"table":"assets"'))
          .join("\n")
      : text,
  );
  expect(await refused(importInto(target, unnamed))).toMatch(/^The archive holds the file .*, which no row/);
});

test.each(["../../../../x", "/etc/x", "proj_1/../../x", "proj_1/\\u0000"])(
  "a file with the key %p is refused with one line",
  async (key) => {
    const line = `{"key":"${key}","sha256":"${"0".repeat(64)}","sizeBytes":1}\n`;
    const archive = await rewritten(ofUser, (text, kind) => (kind === "index" ? line : text));
    expect(await refused(importInto(target, archive))).toBe(
      "The list of files of batch 1 holds what this version cannot read.",
    );
  },
);

test.each([
  [[{ atSeconds: 0, left: 0.1, top: 0, right: 2, bottom: 1 }]],
  [[{ atSeconds: 0, left: 0.5, top: 0, right: 0.5, bottom: 1 }]],
  [[2, 1].map((atSeconds) => ({ atSeconds, left: 0, top: 0, right: 1, bottom: 1 }))],
  [Array(101).fill({ atSeconds: 0, left: 0, top: 0, right: 1, bottom: 1 })],
  [{ 0: "a box" }],
])("boxes of a subject that no version writes are refused", async (subject_boxes) => {
  const row = await copiedRow("assets", { id: otherId("asset"), subject_boxes });
  expect(await refused(importInto(target, await withRow(ofUser, "assets", row)))).toContain(
    "cannot store: subject_boxes",
  );
});

test.each(["not JSON", '{"format":"reelwright-data","version":1}'])(
  "the manifest %p is refused with one line",
  async (text) => {
    const archive = await rewritten(ofUser, (found, kind) => (kind === "manifest" ? text : found));
    expect(await refused(importInto(target, archive))).toBe(
      "The manifest of the archive holds what this version cannot read.",
    );
  },
);

test("an import is repeated after a token of it was used", async () => {
  await importInto(target, ofUser);
  const api = { headers: { authorization: `Bearer ${token.body.token}` } };
  expect((await target.app.request("/api/auth/me", api)).status).toBe(200);
  await target.db.update(apiTokens).set({ lastUsedAt: 5 });
  expect((await importInto(target, ofUser)).added).toBe(0);
  expect((await target.db.select().from(apiTokens))[0]!.lastUsedAt).toBe(5);
});

test("texts with the line separators of Unicode are archived and imported", async () => {
  const knowledge = "one\u2028two\u2029three\u0085four";
  await jsonClient(ann)("PUT", `/api/projects/${projectId}`, { knowledge });
  const { bytes, problems } = await archiveOf(source);
  await importInto(target, bytes);
  expect(problems).toEqual([]);
  expect((await target.db.select().from(projects))[0]!.knowledge).toBe(knowledge);
});

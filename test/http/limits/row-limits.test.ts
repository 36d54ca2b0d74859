import { expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { jsonInit, password, sharedService } from "../../support/service.ts";
import { newWork, requireJson } from "../../support/work-videos.ts";

const service = await sharedService();

/** Copies the only row of an owner until there are `count`: without triggers, which would sum up each row. */
async function copyRow(
  table: string,
  owner: string,
  ownerId: string,
  count: number,
  unique: readonly string[] = ["id"],
) {
  const { seeding } = service;
  const { rows } = (await seeding.execute(sql`select column_name as name from information_schema.columns
    where table_schema = 'public' and table_name = ${table}`)) as unknown as { rows: { readonly name: string }[] };
  const columns = rows.map(({ name }) => sql.identifier(name));
  const values = rows.map(({ name }, at) => (unique.includes(name) ? sql`${columns[at]} || number` : columns[at]));
  await seeding.execute(sql`set session_replication_role = replica`);
  await seeding.execute(sql`insert into ${sql.identifier(table)} (${sql.join(columns, sql`, `)})
    select ${sql.join(values, sql`, `)} from ${sql.identifier(table)}, generate_series(2, ${count}::int) number
    where ${sql.identifier(owner)} = ${ownerId}`);
  await seeding.execute(sql`reset session_replication_role`);
}

test("a user who has as many projects, works, templates or tokens as allowed creates no more, and keeps them", async () => {
  const ann = await service.register();
  const { projectId, base, workId } = await newWork(ann);
  const project = `/api/projects/${projectId}`;
  const template = { name: "T", content: { textOverlays: [], imageOverlays: [] } };
  const token = { name: "CI", scopes: ["projects:read"] };
  await requireJson(ann.json("POST", `${project}/templates`, template));
  await requireJson(ann.json("POST", "/api/tokens", token));
  await copyRow("works", "project_id", projectId, 1_000);
  await copyRow("templates", "project_id", projectId, 500);
  await copyRow("api_tokens", "user_id", ann.user.id, 100, ["id", "hash"]);
  await copyRow("projects", "user_id", ann.user.id, 1_001);

  for (const [limit, path, body, used, allowed] of [
    ["works", `${project}/works`, {}, 1_000, 1_000],
    ["templates", `${project}/templates`, template, 500, 500],
    ["tokens", "/api/tokens", token, 100, 100],
    ["projects", "/api/projects", { name: "P" }, 1_001, 1_000],
  ] as const) {
    const response = await ann.json("POST", path, body);
    expect([response.status, await response.json()]).toMatchObject([
      409,
      { code: "limit_reached", details: { limit, used, allowed } },
    ]);
  }
  // works of films do not count
  const films = `${project}/films`;
  expect((await ann.json("POST", films, { brief: { text: "A cup." }, stopAt: ["scenario"] })).status).toBe(202);
  expect((await ann.json("PUT", project, { name: "Other" })).status).toBe(200);
  expect((await ann.json("DELETE", base.replace(/\/media$/, ""))).status).toBe(204);
  expect([workId, (await ann.json("POST", `${project}/works`, {})).status]).toEqual([workId, 201]);
});

test("of more than a hundred sessions the oldest one ends", async () => {
  const ann = await service.register();
  await service.seeding.execute(sql`insert into token_families (id, user_id, created_at, last_used_at, expires_at)
    select 'sess_' || number, ${ann.user.id}, created_at + number, 1, expires_at
    from token_families, generate_series(1, 99) number where user_id = ${ann.user.id}`);
  expect((await ann.request("/api/auth/me")).status).toBe(200);

  const login = jsonInit("POST", { email: ann.user.email, password });
  expect((await service.request("/api/auth/login", login)).status).toBe(200);

  expect((await ann.request("/api/auth/me")).status).toBe(401);
  expect(await service.db.$count(sql`token_families where user_id = ${ann.user.id}`)).toBe(100);
});

import { afterAll, expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { newId } from "../../../src/domain/shared/ids.ts";
import { takeLease } from "../../../src/platform/leases.ts";
import { exportJobs, exportWebhooks } from "../../../src/storage/tables/exports.ts";
import { queuedExport } from "../../storage/samples.ts";
import { jsonClient } from "../../support/json-client.ts";
import { leaseEnds } from "../../support/lease-ends.ts";
import { fakeServer } from "../../support/models/fake-server.ts";
import { placesWith } from "../../support/search.ts";
import { jsonInit, password, type TestUser, testService } from "../../support/service.ts";
import { formOf, png, wav } from "../../support/uploads.ts";
import { newWork, requireJson } from "../../support/work-videos.ts";
import { maintain, placesOf, removeAccount } from "./places.ts";

/** Receives no request: each delivery of a webhook fails and is tried again. */
const receiver = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response(null, { status: 500 }) });
const network = { ALLOW_PRIVATE_NETWORK: "true", FETCH_EXTRA_PORTS: `${receiver.port}` };
const webhook = { url: `http://127.0.0.1:${receiver.port}/markerk7x` };
const ends = leaseEnds();
const service = await testService(network, undefined, ends.store);

afterAll(async () => {
  await service.close();
  await receiver.stop(true);
});

/** Fills every table and every folder that can hold something of a user. */
async function fillAccount(ann: TestUser) {
  const work = await newWork(ann, { name: "markerk7x", productName: "markerk7x" });
  const { projectId, workId, base } = work;
  const project = `/api/projects/${projectId}`;
  const text = { id: "a", text: "markerk7x", timingMode: "relative" };
  const asset = { file: new File([png(64, 36)], "markerk7x.png"), tags: "markerk7x", description: "markerk7x" };
  await requireJson(ann.json("PUT", project, { knowledge: "markerk7x", styleGuide: { tone: "markerk7x" } }));
  await requireJson(ann.json("POST", `${project}/templates`, { name: "T", content: { textOverlays: [text] } }));
  await requireJson(ann.request(`${project}/assets`, { method: "POST", body: formOf(asset) }));
  await work.image(0, png(64, 36));
  await work.audio(new File([wav()], "markerk7x.wav"));
  await requireJson(ann.json("POST", "/api/tokens", { name: "markerk7x", scopes: ["projects:read"] }));

  const key = { "idempotency-key": "markerk7x" };
  const clips = [{ sceneIndex: 0, position: 0, end: 0.5 }];
  const texts = [{ text: "markerk7x", position: 0, end: 0.5 }];
  const request = { projectId, workId, clips, texts, options: { width: 64, height: 36, fps: 10 } };
  const image = { prompt: "markerk7x" };
  await requireJson(ann.json("POST", "/api/generate/image", image, key));
  const operation = await requireJson(ann.json("POST", "/api/generate/image", image, { prefer: "respond-async" }));
  expect((await ann.json("POST", "/api/export", request, { "idempotency-key": "2" })).status).toBe(200);
  expect((await ann.json("POST", "/api/export/frame?t=0", request)).status).toBe(200);
  expect((await ann.request(`${base}/frame?t=0`)).status).toBe(200);
  const exported = await requireJson(ann.json("POST", "/api/exports", { ...request, webhook }));
  await ends.operation(`/api/operations/${operation.id}`, jsonClient(ann));
  await (await ann.request(`/api/exports/${exported.id}/events`)).text();
  const call = { id: newId("call"), userId: ann.user.id, provider: "p", model: "markerk7x", purpose: "image" as const };
  const { ledger } = service.services;
  await ledger.reserve({ ...call, projectId, estimate: 0n, holderId: "none", createdAt: 1 });
  await ledger.end({ id: call.id, state: "settled", cost: 0n, milliseconds: 1, outcome: "ok" });
  return projectId;
}

test("a removed account leaves nothing in the database and in the data folder", async () => {
  const bob = await service.register("Bob");
  const bobs = await newWork(bob);
  const { url } = await bobs.asset(png());
  const ann = await service.register("markerk7x");
  await service.request(
    "/api/auth/login",
    jsonInit("POST", { email: ann.user.email, password }, { "user-agent": "markerk7x" }),
  );
  const projectId = await fillAccount(ann);
  const places = (await placesOf(service, ann, projectId)).join("\n");
  for (const table of ["users", "token_families", "api_tokens", "projects", "assets", "templates", "works"]) {
    expect(places).toContain(`public.${table}\n`);
  }
  for (const table of ["work_media", "generated_media", "upstream_calls", "idempotency_keys", "operations"]) {
    expect(places).toContain(`public.${table}\n`);
  }
  for (const place of ["public.export_jobs", "pgboss.", "/files/", "/cache/", "/frames/"]) {
    expect(places).toContain(place);
  }

  const removed = await removeAccount(ann);

  expect([removed.status, await removed.text()]).toEqual([204, ""]);
  await maintain(service);
  expect(await placesOf(service, ann, projectId)).toEqual([]);
  expect(await readdir(join(service.dataDir, "files"))).toEqual([bobs.projectId]);
  expect((await ann.request("/api/auth/me")).status).toBe(401);
  const { refreshToken, user } = ann;
  expect((await service.request("/api/auth/refresh", jsonInit("POST", { refreshToken }))).status).toBe(401);
  const login = jsonInit("POST", { email: user.email, password });
  expect((await service.request("/api/auth/login", login)).status).toBe(401);
  expect((await bob.request(url)).status).toBe(200);
});

test.each([
  ["a project", (ann: TestUser, projectId: string) => ann.json("DELETE", `/api/projects/${projectId}`)],
  ["an account", (ann: TestUser) => removeAccount(ann)],
])("removing %s ends at once what acts for its owner, before any row is removed", async (_, remove) => {
  const called = Promise.withResolvers<void>();
  const provider = fakeServer({
    "POST /v1/responses": () => {
      called.resolve();
      return new Promise<never>(() => {});
    },
  });
  const own = await testService({ ...network, OPENAI_BASE_URL: `${provider.url}/v1` });
  try {
    const sweep = await takeLease(own.services, ["removals"]);
    const ann = await own.register();
    const { projectId, workId, base } = await newWork(ann);
    const { files: _, ...job } = queuedExport({ userId: ann.user.id, projectId });
    const expiresAt = Date.now() + 60_000;
    await own.db.insert(exportJobs).values({ ...job, workId, status: "done", finishedAt: 1, expiresAt });
    const delivery = { ...webhook, secret: "sealedk7x" };
    await own.db.insert(exportWebhooks).values({ ...delivery, exportId: job.id, state: "pending", round: 1 });
    const waiting = JSON.stringify({ ...delivery, exportId: job.id, projectId });
    await own.db.execute(sql`insert into pgboss.job (name, group_id, data, start_after)
      select 'webhooks', ${ann.user.id}, ${JSON.stringify({ data: waiting })}::jsonb, now() + interval '1 day'`);
    expect((await placesWith(own, "sealedk7x")).length).toBeGreaterThan(1);
    const headers = { "x-llm-provider": "openai", "x-api-key": "sk-1" };
    const answer = ann.json("POST", `${base}/scenario`, undefined, headers);
    await called.promise;

    expect((await remove(ann, projectId)).status).toBe(204);

    expect(await placesWith(own, "sealedk7x")).toEqual([]);
    expect((await answer).status).toBe(404);
    await provider.requests[0]?.left;
    expect(await own.db.$count(exportJobs)).toBe(1);
    await sweep?.release();
  } finally {
    await own.close();
    await provider.stop();
  }
});

test("an account and a project of any size are out of reach at once, and their rows and files go by and by", async () => {
  const broken = Promise.reject(new Error("broken"));
  broken.catch(() => {});
  let areFilesThere = false;
  const large = await testService(network, undefined, ({ files }) => ({
    files: { ...files, removeFolder: (folder) => (areFilesThere ? files.removeFolder(folder) : broken) },
  }));
  try {
    const { db, seeding, services } = large;
    const ann = await large.register("markerk7x");
    const { projectId, workId, asset } = await newWork(ann);
    const { url } = await asset(png());
    const bob = await large.register("Bob");
    const bobs = await newWork(bob);
    const image = await requireJson(ann.json("POST", "/api/generate/image", { prompt: "a cup" }));
    const token = await requireJson(ann.json("POST", "/api/tokens", { name: "CI", scopes: ["projects:read"] }));
    // more than a batch of each: those of works and assets are small
    for (const [table, owner, where, rows] of [
      ["works", "project_id", projectId, 151],
      ["projects", "user_id", ann.user.id, 1201],
      ["assets", "project_id", projectId, 151],
    ] as const) {
      await seeding.execute(sql`insert into ${sql.identifier(table)}
        select (jsonb_populate_record(t, to_jsonb(t) || jsonb_build_object('id', id || number))).*
        from ${sql.identifier(table)} t, generate_series(1, ${rows}::int) number where ${sql.identifier(owner)} = ${where}`);
    }
    const { files: _, ...job } = queuedExport({ userId: ann.user.id, projectId });
    const ended = { ...job, status: "done" as const, finishedAt: 1, expiresAt: Date.now() + 60_000 };
    await db.insert(exportJobs).values(ended);
    expect((await ann.request(`/api/exports/${job.id}`)).status).toBe(200);

    expect((await ann.json("DELETE", `/api/projects/${projectId}`)).status).toBe(204);

    const paths = ["", `/works/${workId}`, "/works", "/assets"].map((path) => `/api/projects/${projectId}${path}`);
    for (const path of [...paths, url, `/api/exports/${job.id}`]) {
      expect([path, (await ann.request(path)).status]).toEqual([path, 404]);
    }
    expect(await requireJson(ann.request("/api/exports"))).toEqual({ exports: [], count: 0 });

    expect((await removeAccount(ann)).status).toBe(204);

    expect((await ann.request("/api/auth/me")).status).toBe(401);
    const { email } = ann.user;
    for (const [path, body] of Object.entries({
      "/api/auth/refresh": { refreshToken: ann.refreshToken },
      "/api/auth/login": { email, password },
    })) {
      expect([path, (await large.request(path, jsonInit("POST", body))).status]).toEqual([path, 401]);
    }
    const headers = { authorization: `Bearer ${token.token}` };
    expect((await large.request("/api/projects", { headers })).status).toBe(401);
    expect((await large.request(new URL(image.imageUrl, "http://localhost").pathname)).status).toBe(404);
    const again = jsonInit("POST", { email, password, name: "Ann" });
    expect((await large.request("/api/auth/register", again)).status).toBe(201);

    await maintain(large);
    expect(await services.removals.countWaiting()).toBeGreaterThan(0);
    areFilesThere = true;
    while ((await services.removals.countWaiting()) > 0) await maintain(large);
    const left = await Promise.all(
      ["projects", "works", "assets", "export_jobs"].map((name) => db.$count(sql`${sql.identifier(name)}`)),
    );
    expect(left).toEqual([1, 1, 0, 0]);
    expect((await bob.request(bobs.base)).status).toBe(200);
    expect((await readdir(join(large.dataDir, "files"))).includes(projectId)).toBe(false);
  } finally {
    await large.close();
  }
});

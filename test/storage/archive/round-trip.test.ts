import { afterAll, expect, test } from "bun:test";
import { readStorageUsage } from "../../../src/storage/database/storage-usage.ts";
import { archiveOf, filesOf, importInto, rowsOf } from "../../support/archives.ts";
import { type FreshDatabase, freshDatabase, inMemory } from "../../support/database.ts";
import { fullAccount, webhookReceiver } from "../../support/full-account.ts";
import { jsonClient } from "../../support/json-client.ts";
import { s3Server } from "../../support/s3-server.ts";
import { jsonInit, type OwnService, password, registerOn, settingsFor, testService } from "../../support/service.ts";
import { summedStorage } from "../../support/summed-storage.ts";

const receiver = webhookReceiver();
const store = s3Server();
const services: OwnService[] = [];
afterAll(async () => {
  await Promise.all(services.map((service) => service.close()));
  await receiver.stop();
  await store.stop();
});

/** On the server that TEST_DATABASE_URL names if there is one, else embedded. */
async function open(storage: Record<string, string>, database: () => Promise<FreshDatabase>): Promise<OwnService> {
  const service = await testService({ ...receiver.variables, ...storage }, undefined, undefined, undefined, database);
  services.push(service);
  return service;
}

const onDisk = { STORAGE: "local" };
const first = await open(onDisk, inMemory);
const ann = await registerOn(first.request, "Ann");
const account = await fullAccount(first, ann, receiver.url);

/** Logs in with the old password. */
async function logIn({ request }: OwnService) {
  const response = await request("/api/auth/login", jsonInit("POST", { email: ann.user.email, password }));
  const { accessToken } = await response.json();
  return (path: string, init?: RequestInit) =>
    request(path, { ...init, headers: { ...init?.headers, authorization: `Bearer ${accessToken}` } });
}

const bytesAt = async (asUser: Awaited<ReturnType<typeof logIn>>, path: string) => {
  const response = await asUser(path);
  expect(response.status).toBe(200);
  return Buffer.from(await response.arrayBuffer());
};

test("an account moves to another database and store and back with equal rows and files", async () => {
  const there = await archiveOf(first);
  expect(there.problems).toEqual([]);
  const second = await open(settingsFor(store.newBucket()), freshDatabase);
  await importInto(second, there.bytes);
  const back = await archiveOf(second);
  const third = await open(onDisk, inMemory);
  await importInto(third, back.bytes);

  const rows = await rowsOf(first);
  expect(Object.entries(rows).filter(([, found]) => found.length === 0)).toEqual([]);
  expect(await rowsOf(second)).toEqual(rows);
  expect(await rowsOf(third)).toEqual(rows);
  const files = await filesOf(first);
  expect(Object.keys(files).length).toBeGreaterThan(4);
  expect(await filesOf(second)).toEqual(files);
  expect(await filesOf(third)).toEqual(files);
  expect(back.count).toEqual(there.count);

  const old = (path: string, init?: RequestInit) => Promise.resolve(ann.request(path, init));
  const { projectId, base, asset, exportId, film, token, image } = account;
  for (const service of [second, third]) {
    expect(await readStorageUsage(service.db, ann.user.id)).toEqual(await summedStorage(service.db, ann.user.id));
    const asUser = await logIn(service);
    for (const path of [`/api/projects/${projectId}`, base, `/api/projects/${projectId}/templates`, "/api/exports"]) {
      expect(await (await asUser(path)).json()).toEqual(await (await old(path)).json());
    }
    for (const path of [asset.url, asset.thumbnail, `${base}/media/scene/0/video`, `/api/exports/${exportId}/file`]) {
      expect((await bytesAt(asUser, path)).equals(await bytesAt(old, path))).toBe(true);
    }
    expect((await service.request(image.imageUrl)).status).toBe(200);
    const rendered = await asUser("/api/export", jsonInit("POST", film));
    expect(Buffer.from(await rendered.arrayBuffer()).equals(await bytesAt(old, `/api/exports/${exportId}/file`))).toBe(
      true,
    );
    const withToken = await service.request("/api/projects", { headers: { authorization: `Bearer ${token}` } });
    expect(withToken.status).toBe(200);
  }
});

test("an archive of a user or of a project holds no row of others", async () => {
  const bob = await registerOn(first.request, "Bob");
  await jsonClient(bob)("POST", "/api/projects", { name: "Bob's" });
  const user = { id: ann.user.id, email: ann.user.email };
  const target = await open(onDisk, inMemory);
  await importInto(target, (await archiveOf(first, { kind: "user", user })).bytes);
  expect((await rowsOf(target)).users).toHaveLength(1);
  expect((await rowsOf(target)).projects).toHaveLength(1);

  const project = { id: account.projectId, name: "Launch" };
  const { count } = await archiveOf(first, { kind: "project", project, user });
  const ofUser = ["users", "api_tokens", "generated_media"];
  const tables = Object.entries(await rowsOf(target)).filter(([name]) => !ofUser.includes(name));
  // the other call belongs to no project
  expect(count.rows).toBe(tables.flatMap(([, rows]) => rows).length - 1);
});

import { afterAll, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { diskRenderCache } from "../../../src/storage/files/render-cache.ts";
import { openBucket } from "../../../src/storage/s3/bucket.ts";
import { sharedRenderCache } from "../../../src/storage/s3/render-cache.ts";
import { leasesInMemory } from "../../support/leases.ts";
import { s3Server } from "../../support/s3-server.ts";

const server = s3Server();
const folder = await mkdtemp(join(tmpdir(), "reelwright-s3-"));
const leases = leasesInMemory();
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

const kilobyte = 1024;
const limit = 128 * kilobyte;
const access = server.newBucket();

/** The cache of a machine with a folder of its own. */
const newMachine = async (to = access, maxBytes = limit) => {
  const local = diskRenderCache(await mkdtemp(join(folder, "machine-")), maxBytes);
  return sharedRenderCache(local, { bucket: openBucket(to, { prefix: "p/" }), leases, maxBytes });
};

type Machine = Awaited<ReturnType<typeof newMachine>>;

const newKey = (project = "proj") =>
  `${project}/${new Bun.CryptoHasher("sha256").update(crypto.randomUUID()).digest("hex")}`;
const newPath = () => join(folder, crypto.randomUUID());

async function put(machine: Machine, key: string, text: string): Promise<void> {
  const path = newPath();
  await Bun.write(path, text);
  await machine.put([{ key, path }]);
}

async function get(machine: Machine, key: string): Promise<string | undefined> {
  const path = newPath();
  return (await machine.linkTo(key, path)) ? await Bun.file(path).text() : undefined;
}

const partsIn = (to = access) => [...server.objectsOf(to)].filter(([key]) => key.startsWith("p/parts/"));
const bytesIn = (to = access) => partsIn(to).reduce((sum, [, { bytes }]) => sum + bytes.length, 0);

test("what one machine has rendered another takes, once from the bucket and then from its disk", async () => {
  const [one, other] = [await newMachine(), await newMachine()];
  const key = newKey();
  await put(one, key, "part");

  expect(await get(other, key)).toBe("part");
  server.requests.length = 0;
  expect([await get(other, key), await get(one, key)]).toEqual(["part", "part"]);
  expect(server.requests).toEqual([]);
  expect(await get(other, newKey())).toBeUndefined();
});

test("one listing finds the entries of a project", async () => {
  const own = server.newBucket();
  const [one, other] = [await newMachine(own), await newMachine(own)];
  const [project, empty] = ["found", "empty"];
  const stored = [newKey(project), newKey(project)];
  for (const key of stored) await put(one, key, "part");
  const missing = Array.from({ length: 10 }, () => newKey(project));

  server.requests.length = 0;
  expect([...(await other.find([...missing, ...stored]))].toSorted()).toEqual(stored.toSorted());
  expect(await other.find(missing.map((_, index) => `${empty}/${index}`))).toBeEmpty();
  expect(server.requests).toEqual([`GET /${own.bucket}`, `GET /${own.bucket}`]);
});

test("a listing takes no more requests than to ask for each key", async () => {
  const machine = await newMachine(server.newBucket());
  const stored = Array.from({ length: 9 }, () => newKey());
  for (const key of stored) await put(machine, key, "part");
  const missing = [newKey(), newKey()];

  server.requests.length = 0;
  expect([...(await machine.find(missing))]).toEqual(missing);
  expect(server.requests).toHaveLength(missing.length);
});

test("a damaged object is a miss, and so is a store that is away", async () => {
  const [one, other] = [await newMachine(), await newMachine()];
  const key = newKey();
  await put(one, key, "part");
  const object = `p/parts/${key}`;
  server.objectsOf(access).set(object, { ...server.objectsOf(access).get(object)!, bytes: Buffer.from("xxxx") });
  expect(await get(other, key)).toBeUndefined();

  const third = await newMachine({ ...access, endpoint: "http://127.0.0.1:1" });
  expect(await get(third, key)).toBeUndefined();
  await put(third, key, "part");
  expect(await get(third, key)).toBe("part");
});

test("the caches of several machines hold no more than the limit in the bucket together", async () => {
  const own = server.newBucket();
  const machines = await Promise.all([1, 2, 3].map(() => newMachine(own)));
  for (let round = 0; round < 3; round += 1) {
    await Promise.all(machines.flatMap((each) => [1, 2, 3].map(() => put(each, newKey(), "x".repeat(10 * kilobyte)))));
    expect(bytesIn(own)).toBeLessThanOrEqual(limit);
  }
  expect(bytesIn(own)).toBeGreaterThan(limit / 2);
});

test("the oldest entries are evicted, and an old one that is used becomes young", async () => {
  const own = server.newBucket();
  const [one, other] = [await newMachine(own), await newMachine(own)];
  const [used, unused] = [newKey(), newKey()];
  for (const key of [used, unused]) await put(one, key, "x".repeat(10 * kilobyte));
  const fill = async (count: number) => {
    for (let added = 0; added < count; added += 1) await put(one, newKey(), "x".repeat(10 * kilobyte));
  };
  await fill(8);
  for (const key of [used, unused]) server.objectsOf(own).get(`p/parts/${key}`)!.writtenAt = 0;
  expect(await get(other, used)).toBeDefined();
  await fill(6);

  const kept = partsIn(own).map(([key]) => key);
  expect([kept.includes(`p/parts/${used}`), kept.includes(`p/parts/${unused}`)]).toEqual([true, false]);
});

test("an entry larger than the cache is not stored, and a cache of zero bytes stores nothing", async () => {
  const own = server.newBucket();
  await put(await newMachine(own), newKey(), "x".repeat(limit + 1));
  await put(await newMachine(own, 0), newKey(), "x");
  expect(partsIn(own)).toEqual([]);
});

test("a project's entries are listed and removed with it, whichever machine stored them", async () => {
  const [one, other] = [await newMachine(), await newMachine()];
  const project = `proj_${crypto.randomUUID()}`;
  const keys = [newKey(project), newKey(project), newKey(project), newKey(project)];
  for (const key of keys) await put(one, key, "part");
  expect(await other.listProjects()).toContain(project);

  await other.removeProject(project);

  expect(partsIn().filter(([key]) => key.includes(project))).toEqual([]);
  expect(await other.listProjects()).not.toContain(project);
});

import { afterEach, beforeEach, expect, test } from "bun:test";
import { appendFile, mkdir, readdir, rm, symlink, utimes } from "node:fs/promises";
import { join } from "node:path";
import type { RenderCache } from "../../../src/engine/ports.ts";
import { diskRenderCache } from "../../../src/storage/files/render-cache.ts";
import { temporaryFolder } from "../../support/media/ffmpeg.ts";
import { cachedBytesIn, cachedFilesIn } from "./cached-files.ts";

const key = (letter: string) => letter.repeat(64);
const kilobyte = 1024;

let folder: string;
let cache: RenderCache;
let made = 0;

beforeEach(async () => {
  folder = await temporaryFolder();
  cache = diskRenderCache(folder, 64 * kilobyte);
});

afterEach(() => rm(folder, { recursive: true, force: true }));

const newPath = () => join(folder, `part-${made++}`);

async function put(name: string, text: string): Promise<void> {
  const path = newPath();
  await Bun.write(path, text);
  await cache.put([{ key: name, path }]);
  await rm(path);
}

async function get(name: string): Promise<string | undefined> {
  const path = newPath();
  return (await cache.linkTo(name, path)) ? await Bun.file(path).text() : undefined;
}

const cachedFiles = () => cachedFilesIn(folder);

test("an entry is found under its key and under no other key", async () => {
  await put(key("a"), "part");
  expect([await get(key("a")), await get(key("b"))]).toEqual(["part", undefined]);
});

test("the size of an entry can be read without linking it", async () => {
  await put(key("a"), "part");
  expect([await cache.sizeOf(key("a")), await cache.sizeOf(key("b"))]).toEqual([4, undefined]);
});

test("entries survive a restart", async () => {
  await put(key("a"), "part");
  cache = diskRenderCache(folder, 64 * kilobyte);
  expect(await get(key("a"))).toBe("part");
});

test("a damaged entry is not returned but removed", async () => {
  await put(key("a"), "part");
  const [path] = await cachedFiles();
  await appendFile(path!, "!");
  expect([await get(key("a")), await cachedFiles()]).toEqual([undefined, []]);
});

test("a removed damaged entry can be added again", async () => {
  await put(key("a"), "part");
  const [path] = await cachedFiles();
  await Bun.write(path!, "");
  await get(key("a"));
  await put(key("a"), "part");
  expect(await get(key("a"))).toBe("part");
});

/** Ways to replace an entry with something that is not a file. */
const replacements: Record<string, (path: string) => Promise<unknown>> = {
  "a folder": async (path) => {
    await rm(path);
    await Bun.write(join(path, "file"), "within");
  },
  "a link to nowhere": async (path) => {
    await rm(path);
    await symlink("nowhere", path);
  },
};

test.each(Object.entries(replacements))("%s in place of an entry is removed", async (_, replace) => {
  await put(key("a"), "part");
  const [path] = await cachedFiles();
  await replace(path!);
  expect(await get(key("a"))).toBeUndefined();
  await put(key("a"), "part");
  expect(await get(key("a"))).toBe("part");
});

test("adding an entry that cannot be written is not an error", async () => {
  await Bun.write(join(folder, "cache", "aa"), "a file where a folder should be");
  await put(key("a"), "part");
  expect(await get(key("a"))).toBeUndefined();
});

test("the least recently used entry is evicted beyond the limit", async () => {
  const text = "x".repeat(24 * kilobyte);
  await put(key("a"), text);
  await put(key("b"), text);
  const [first, second] = (await cachedFiles()).toSorted();
  await utimes(first!, 1000, 1000);
  await utimes(second!, 500, 500);
  await get(key("b"));
  await put(key("c"), text);
  expect([await get(key("a")), await get(key("b")), await get(key("c"))]).toEqual([undefined, text, text]);
});

test("eviction happens before an insert and never removes the new entry", async () => {
  const text = "x".repeat(24 * kilobyte);
  await put(key("a"), text);
  await put(key("b"), text);
  const tomorrow = Date.now() / 1000 + 86_400;
  for (const path of await cachedFiles()) await utimes(path, tomorrow, tomorrow);
  await put(key("c"), text);
  expect([(await cachedFiles()).length, await get(key("c"))]).toEqual([2, text]);
});

test("an entry larger than the cache is not added and evicts nothing", async () => {
  await put(key("a"), "part");
  await put(key("b"), "x".repeat(65 * kilobyte));
  expect([await get(key("a")), await get(key("b"))]).toEqual(["part", undefined]);
});

test("of parts that are added together, those that fit the cache are", async () => {
  const sizes = { a: 40, b: 70, c: 30, d: 20 };
  const parts = Object.keys(sizes).map((name) => ({ key: key(name), path: newPath() }));
  for (const [index, size] of Object.values(sizes).entries())
    await Bun.write(parts[index]!.path, "x".repeat(size * kilobyte));
  await cache.put(parts);
  const found = await Promise.all(parts.map((part) => cache.sizeOf(part.key)));
  expect(found).toEqual([40 * kilobyte, undefined, undefined, 20 * kilobyte]);
  expect(await cachedBytesIn(folder)).toBe(60 * kilobyte);
});

test("a cache of zero bytes stores nothing", async () => {
  cache = diskRenderCache(folder, 0);
  await put(key("a"), "part");
  expect(await get(key("a"))).toBeUndefined();
});

test("concurrent inserts of one key leave one entry", async () => {
  await Promise.all([put(key("a"), "part"), put(key("a"), "part")]);
  expect([(await cachedFiles()).length, await get(key("a"))]).toEqual([1, "part"]);
});

const limit = 64 * kilobyte;
const newKey = () => `proj/${new Bun.CryptoHasher("sha256").update(`${made++}`).digest("hex")}`;

test("the caches of several processes on one folder hold no more than the limit together", async () => {
  const caches = Array.from({ length: 4 }, () => diskRenderCache(folder, limit));
  const path = newPath();
  await Bun.write(path, "x".repeat(8 * kilobyte));
  for (let round = 0; round < 10; round++) {
    await Promise.all(caches.map((each) => each.put([{ key: newKey(), path }])));
    expect(await cachedBytesIn(folder)).toBeLessThanOrEqual(limit);
  }
  expect(await cachedBytesIn(folder)).toBeGreaterThan(limit / 2);
});

test("entries that were removed make room", async () => {
  const path = newPath();
  await Bun.write(path, "x".repeat(8 * kilobyte));
  for (let count = 0; count < 8; count++) await cache.put([{ key: newKey(), path }]);
  await cache.removeProject("proj");
  const keys = Array.from({ length: 8 }, newKey);
  for (const each of keys) await cache.put([{ key: each, path }]);
  expect((await cachedFiles()).length).toBe(8);
});

test("a cache whose files cannot be locked adds nothing and does not fail", async () => {
  await mkdir(join(folder, "cache.lock"));
  await put(key("a"), "part");
  expect(await get(key("a"))).toBeUndefined();
});

test("a file that is added twice leaves one entry and no other file", async () => {
  const path = newPath();
  await Bun.write(path, "part");
  for (const _ of [1, 2]) await cache.put([{ key: key("a"), path }]);
  expect((await cachedFiles()).length).toBe(1);
});

test("folders that an eviction leaves empty are removed", async () => {
  const evicted = join("proj_1", key("a"));
  await put(evicted, "x".repeat(40 * kilobyte));
  await put(join("proj_2", key("b")), "x".repeat(40 * kilobyte));

  expect(await cache.sizeOf(evicted)).toBeUndefined();
  expect(await readdir(join(folder, "cache"))).toEqual(["proj_2"]);
});

import { afterEach, beforeEach, expect, test } from "bun:test";
import { appendFile, readdir, rm, symlink, utimes } from "node:fs/promises";
import { join } from "node:path";
import type { RenderCache } from "../../../src/domain/exports/renderer.ts";
import { diskRenderCache } from "../../../src/storage/files/part-cache.ts";
import { temporaryFolder } from "../../helpers/ffmpeg.ts";

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

const place = () => join(folder, `part-${made++}`);

async function put(name: string, text: string): Promise<void> {
  const path = place();
  await Bun.write(path, text);
  await cache.put(name, path);
  await rm(path);
}

async function taken(name: string): Promise<string | undefined> {
  const path = place();
  return (await cache.take(name, path)) ? await Bun.file(path).text() : undefined;
}

async function cachedFiles(): Promise<string[]> {
  const entries = await readdir(join(folder, "cache"), { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

test("what was put is taken under its key and under no other", async () => {
  await put(key("a"), "part");
  expect([await taken(key("a")), await taken(key("b"))]).toEqual(["part", undefined]);
});

test("the size of a part and the bytes of a small one are told without taking it", async () => {
  await put(key("a"), "part");
  expect([await cache.sizeOf(key("a")), await cache.sizeOf(key("b"))]).toEqual([4, undefined]);
  expect([await cache.read(key("a")), await cache.read(key("b"))]).toEqual([Buffer.from("part"), undefined]);

  const [path] = await cachedFiles();
  await appendFile(path!, "!");
  expect(await cache.read(key("a"))).toBeUndefined();
});

test("a part outlives the cache that kept it", async () => {
  await put(key("a"), "part");
  cache = diskRenderCache(folder, 64 * kilobyte);
  expect(await taken(key("a"))).toBe("part");
});

test("a damaged part is not served, and is gone", async () => {
  await put(key("a"), "part");
  const [path] = await cachedFiles();
  await appendFile(path!, "!");
  expect([await taken(key("a")), await cachedFiles()]).toEqual([undefined, []]);
});

test("after a damaged part a good one is kept again", async () => {
  await put(key("a"), "part");
  const [path] = await cachedFiles();
  await Bun.write(path!, "");
  await taken(key("a"));
  await put(key("a"), "part");
  expect(await taken(key("a"))).toBe("part");
});

/** What lies at a part's place by mistake. */
const mistakes: Record<string, (path: string) => Promise<unknown>> = {
  "a folder": async (path) => {
    await rm(path);
    await Bun.write(join(path, "file"), "within");
  },
  "a link to nowhere": async (path) => {
    await rm(path);
    await symlink("nowhere", path);
  },
};

test.each(Object.entries(mistakes))("%s in the place of a part makes way for a good one", async (_, mistake) => {
  for (const whenever of [taken, (name: string) => cache.read(name)]) {
    await put(key("a"), "part");
    const [path] = await cachedFiles();
    await mistake(path!);
    expect(await whenever(key("a"))).toBeUndefined();
    await put(key("a"), "part");
    expect(await taken(key("a"))).toBe("part");
  }
});

test("a part that cannot be kept is no failure", async () => {
  await Bun.write(join(folder, "cache", "aa"), "a file where a folder should be");
  await put(key("a"), "part");
  expect(await taken(key("a"))).toBeUndefined();
});

test("past the limit the part goes that was not used for the longest time", async () => {
  const text = "x".repeat(24 * kilobyte);
  await put(key("a"), text);
  await put(key("b"), text);
  const [first, second] = (await cachedFiles()).toSorted();
  await utimes(first!, 1000, 1000);
  await utimes(second!, 500, 500);
  await taken(key("b"));
  await put(key("c"), text);
  expect([await taken(key("a")), await taken(key("b")), await taken(key("c"))]).toEqual([undefined, text, text]);
});

test("room is made before a part comes in, and never by the part itself", async () => {
  const text = "x".repeat(24 * kilobyte);
  await put(key("a"), text);
  await put(key("b"), text);
  const tomorrow = Date.now() / 1000 + 86_400;
  for (const path of await cachedFiles()) await utimes(path, tomorrow, tomorrow);
  await put(key("c"), text);
  expect([(await cachedFiles()).length, await taken(key("c"))]).toEqual([2, text]);
});

test("a part larger than the whole cache is not kept and moves nothing out", async () => {
  await put(key("a"), "part");
  await put(key("b"), "x".repeat(65 * kilobyte));
  expect([await taken(key("a")), await taken(key("b"))]).toEqual(["part", undefined]);
});

test("a cache of no bytes keeps nothing", async () => {
  cache = diskRenderCache(folder, 0);
  await put(key("a"), "part");
  expect(await taken(key("a"))).toBeUndefined();
});

test("two that keep the same part at once leave one", async () => {
  await Promise.all([put(key("a"), "part"), put(key("a"), "part")]);
  expect([(await cachedFiles()).length, await taken(key("a"))]).toEqual([1, "part"]);
});

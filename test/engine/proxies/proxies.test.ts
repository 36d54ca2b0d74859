import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdir, rm } from "node:fs/promises";
import { proxyBuilder } from "../../../src/engine/proxies/build.ts";
import { idleScheduler } from "../../../src/engine/proxies/idle-scheduler.ts";
import type { ProxyKind } from "../../../src/engine/proxies/kind.ts";
import { DomainError } from "../../../src/errors.ts";
import { diskFiles } from "../../../src/storage/files/disk-files.ts";
import { diskRenderCache } from "../../../src/storage/files/render-cache.ts";
import { imageSource, videoSource } from "../../support/media/draw-media.ts";
import { temporaryFolder } from "../../support/media/ffmpeg.ts";

let folder: string;
let files: Awaited<ReturnType<typeof diskFiles>>;

beforeAll(async () => {
  folder = await temporaryFolder();
  files = await diskFiles(`${folder}/store`);
  for (const name of ["a.mp4", "b.mp4", "c.mp4", "d.mp4"]) {
    await Bun.write(`${folder}/${name}`, `bytes of ${name}`);
    await files.store({ path: `${folder}/${name}` }, name);
  }
});

afterAll(() => rm(folder, { recursive: true, force: true }));

type Build = ProxyKind["build"];

const copyFile: Build = ({ path, output }) => Bun.write(output, Bun.file(path)).then(() => {});

/** Proxies of videos, whose builds are counted. */
function building(build: Build = copyFile, maxBytes = 2 ** 20) {
  const built: string[] = [];
  const kind: ProxyKind = {
    isFor: (facts) => facts.kind === "video",
    describe: () => "as it is",
    build: async (input) => {
      built.push(input.source.file);
      await build(input);
    },
  };
  const cache = diskRenderCache(`${folder}/proxies-${crypto.randomUUID()}`, maxBytes);
  const failures: unknown[] = [];
  const onFailure = (error: unknown) => failures.push(error);
  const scheduler = idleScheduler(1);
  const proxies = proxyBuilder({ kind, files, cache, ffmpeg: { version: "1" }, scheduler, onFailure });
  /** The text of a proxy. If there is none, undefined, and it is built later. */
  const found = async (file: string, place: { projectId?: string; owner?: string } = {}) => {
    const path = `${folder}/${crypto.randomUUID()}`;
    return (await proxies.linkTo(wanted(file, place), path)) ? await Bun.file(path).text() : undefined;
  };
  return { proxies, built, cache, failures, found };
}

const wanted = (file: string, place: { projectId?: string; owner?: string } = {}) => ({
  projectId: "project",
  owner: "ann",
  ...place,
  source: videoSource(file),
});

const jobFolders = async () =>
  (await readdir(`${folder}/store`, { recursive: true })).filter((path) => /job-/.test(path));

test("a proxy is built once, for its project", async () => {
  const { proxies, built, cache, found } = building();
  expect(await found("a.mp4")).toBeUndefined();
  expect(await found("a.mp4")).toBeUndefined();
  await proxies.untilIdle();
  expect(built).toEqual(["a.mp4"]);
  expect(await found("a.mp4")).toBe("bytes of a.mp4");
  await proxies.untilIdle();
  expect(built).toEqual(["a.mp4"]);
  expect(await found("a.mp4", { projectId: "another" })).toBeUndefined();
  await proxies.untilIdle();
  await cache.removeProject("project");
  expect(await cache.listProjects()).toEqual(["another"]);
  expect(await jobFolders()).toEqual([]);
});

test("a source that has no proxy of this kind is left alone", async () => {
  const { proxies, built } = building();
  const image = { ...wanted("a.mp4"), source: imageSource("a.mp4") };
  expect(await proxies.linkTo(image, `${folder}/missing`)).toBe(false);
  await proxies.untilIdle();
  expect(built).toEqual([]);
});

test("what an ended job missed is built", async () => {
  const { proxies, built, failures } = building();
  const job = new AbortController();
  for (const file of ["a.mp4", "b.mp4"]) {
    await proxies.linkTo({ ...wanted(file), ...{ signal: job.signal } }, `${folder}/missing`);
  }
  job.abort();
  await proxies.untilIdle();
  expect([built.toSorted(), failures]).toEqual([["a.mp4", "b.mp4"], []]);
});

test("a build is stopped when rendering begins, and begins again after it", async () => {
  const begun = Promise.withResolvers<void>();
  const stopped = Promise.withResolvers<void>();
  const { proxies, built, failures, found } = building(async (input) => {
    if (built.length > 1) return await copyFile(input);
    begun.resolve();
    const { promise, reject } = Promise.withResolvers<never>();
    input.signal.addEventListener("abort", () => reject(input.signal.reason));
    await promise.finally(stopped.resolve);
  });
  await found("a.mp4");
  await begun.promise;
  const builtMeanwhile = await proxies.during(async () => {
    await stopped.promise;
    return built.length;
  });
  expect(builtMeanwhile).toBe(1);
  await proxies.untilIdle();
  expect([built, failures]).toEqual([["a.mp4", "a.mp4"], []]);
  expect(await found("a.mp4")).toBe("bytes of a.mp4");
});

test("a build that is stopped again and again runs to its end", async () => {
  const { proxies, built, found } = building(async (input) => {
    if (built.length > 3) return await copyFile(input);
    void proxies.during(async () => {});
    input.signal.throwIfAborted();
  });
  await found("a.mp4");
  await proxies.untilIdle();
  expect(built).toHaveLength(4);
  expect(await found("a.mp4")).toBe("bytes of a.mp4");
});

test("nothing is built while something is rendered", async () => {
  const { proxies, built, found } = building();
  const rendered = Promise.withResolvers<void>();
  const rendering = proxies.during(() => rendered.promise);
  await found("a.mp4");
  // a second rendering begins and ends
  await proxies.during(async () => {});
  expect(built).toEqual([]);
  rendered.resolve();
  await rendering;
  await proxies.untilIdle();
  expect(built).toEqual(["a.mp4"]);
});

test("a source that cannot be built is not tried again", async () => {
  const { proxies, built, failures, found } = building(() => Promise.reject(new Error("damaged")));
  for (let attempt = 0; attempt < 2; attempt++) {
    expect(await found("a.mp4")).toBeUndefined();
    await proxies.untilIdle();
  }
  expect(built).toEqual(["a.mp4"]);
  expect(failures).toEqual([new Error("damaged")]);
  expect(await jobFolders()).toEqual([]);
});

test("a source is tried again after a failure that says nothing about it", async () => {
  const { proxies, built, found } = building(async (input) => {
    if (built.length === 1) throw new DomainError("busy", { retryAfterSeconds: 1 });
    await copyFile(input);
  });
  for (let attempt = 0; attempt < 2; attempt++) {
    expect(await found("a.mp4")).toBeUndefined();
    await proxies.untilIdle();
  }
  expect(await found("a.mp4")).toBe("bytes of a.mp4");
});

test("what is larger than the cache is not built again", async () => {
  const { proxies, built, found } = building(copyFile, 0);
  for (let attempt = 0; attempt < 2; attempt++) {
    expect(await found("a.mp4")).toBeUndefined();
    await proxies.untilIdle();
  }
  expect(built).toEqual(["a.mp4"]);
});

test("a damaged entry is not used, and is built again", async () => {
  const { proxies, found, cache } = building();
  expect(await found("a.mp4")).toBeUndefined();
  await proxies.untilIdle();
  const path = `${folder}/${crypto.randomUUID()}`;
  await proxies.linkTo(wanted("a.mp4"), path);
  // both names are one file
  await Bun.write(path, "other bytes");
  expect(await cache.listProjects()).toEqual(["project"]);
  expect(await found("a.mp4")).toBeUndefined();
  await proxies.untilIdle();
  expect(await found("a.mp4")).toBe("bytes of a.mp4");
});

test("users take turns", async () => {
  const { proxies, built, found } = building();
  for (const file of ["a.mp4", "b.mp4", "c.mp4"]) await found(file);
  await found("d.mp4", { owner: "ben" });
  await proxies.untilIdle();
  expect(built.indexOf("d.mp4")).toBeLessThan(built.indexOf("c.mp4"));
});

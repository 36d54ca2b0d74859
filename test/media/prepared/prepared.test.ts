import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdir, rm } from "node:fs/promises";
import { DomainError } from "../../../src/errors.ts";
import type { PreparedKind } from "../../../src/media/prepared/kind.ts";
import { preparedMedia } from "../../../src/media/prepared/prepared.ts";
import { quietTimes } from "../../../src/media/prepared/quiet-times.ts";
import { diskFiles } from "../../../src/storage/files/disk-files.ts";
import { diskRenderCache } from "../../../src/storage/files/render-cache.ts";
import { imageSource, videoSource } from "../../helpers/media/draw-media.ts";
import { temporaryFolder } from "../../helpers/media/ffmpeg.ts";

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

type Build = PreparedKind["build"];

const copyFile: Build = ({ path, output }) => Bun.write(output, Bun.file(path)).then(() => {});

/** A kind for videos whose builds are counted, and media that prepare only that. */
function preparing(build: Build = copyFile, maxBytes = 2 ** 20) {
  const built: string[] = [];
  const kind: PreparedKind = {
    name: "copy",
    isFor: (facts) => facts.kind === "video",
    describe: () => "as it is",
    build: async (input) => {
      built.push(input.source.file);
      await build(input);
    },
  };
  const cacheFolder = `${folder}/prepared-${crypto.randomUUID()}`;
  const cache = diskRenderCache(cacheFolder, maxBytes);
  const ffmpeg = { version: "1" };
  const failures: unknown[] = [];
  const onFailure = (_: string, error: unknown) => failures.push(error);
  const prepared = preparedMedia({ kinds: [kind], files, cache, ffmpeg, quiet: quietTimes(1), onFailure });
  /** The text of what was prepared; undefined if there is nothing. */
  const found = async (file: string, projectId = "project") => {
    const path = `${folder}/${crypto.randomUUID()}`;
    return (await prepared.linkTo(kind, wanted(file, { projectId }), path)) ? await Bun.file(path).text() : undefined;
  };
  return { kind, prepared, built, cache, failures, found };
}

const wanted = (file: string, place: { projectId?: string; owner?: string } = {}) => ({
  projectId: "project",
  owner: "ann",
  ...place,
  source: videoSource(file),
});

const jobFolders = async () =>
  (await readdir(`${folder}/store`, { recursive: true })).filter((path) => /job-/.test(path));

test("a video is prepared once, for its project", async () => {
  const { prepared, built, cache, found } = preparing();
  prepared.prepare(wanted("a.mp4"));
  prepared.prepare(wanted("a.mp4"));
  await prepared.untilIdle();
  prepared.prepare(wanted("a.mp4"));
  await prepared.untilIdle();
  expect(built).toEqual(["a.mp4"]);
  expect(await found("a.mp4")).toBe("bytes of a.mp4");
  expect(await found("a.mp4", "another")).toBeUndefined();
  await prepared.untilIdle();
  await cache.removeProject("project");
  expect(await cache.listProjects()).toEqual(["another"]);
  expect(await jobFolders()).toEqual([]);
});

test("a source that is not of a kind is not prepared", async () => {
  const { prepared, built } = preparing();
  prepared.prepare({ ...wanted("a.mp4"), source: imageSource("a.mp4") });
  await prepared.untilIdle();
  expect(built).toEqual([]);
});

test("what an ended job missed is prepared", async () => {
  const { prepared, kind, built, failures } = preparing();
  const job = new AbortController();
  const place = { signal: job.signal, projectId: "project", owner: "ann" };
  for (const file of ["a.mp4", "b.mp4"]) {
    await prepared.linkTo(kind, { ...place, source: videoSource(file) }, `${folder}/missing`);
  }
  job.abort();
  await prepared.untilIdle();
  expect([built.toSorted(), failures]).toEqual([["a.mp4", "b.mp4"], []]);
});

test("whoever misses something asks for it", async () => {
  const { prepared, found } = preparing();
  expect(await found("b.mp4")).toBeUndefined();
  await prepared.untilIdle();
  expect(await found("b.mp4")).toBe("bytes of b.mp4");
});

test("a build is stopped when rendering begins, and begins again after it", async () => {
  const begun = Promise.withResolvers<void>();
  const stopped = Promise.withResolvers<void>();
  const { prepared, built, failures, found } = preparing(async (input) => {
    if (built.length > 1) return await copyFile(input);
    begun.resolve();
    const { promise, reject } = Promise.withResolvers<never>();
    input.signal.addEventListener("abort", () => reject(input.signal.reason));
    await promise.finally(stopped.resolve);
  });
  prepared.prepare(wanted("a.mp4"));
  await begun.promise;
  const builtMeanwhile = await prepared.during(async () => {
    await stopped.promise;
    return built.length;
  });
  expect(builtMeanwhile).toBe(1);
  await prepared.untilIdle();
  expect([built, failures]).toEqual([["a.mp4", "a.mp4"], []]);
  expect(await found("a.mp4")).toBe("bytes of a.mp4");
});

test("a build that is stopped again and again runs to its end", async () => {
  const { prepared, built, found } = preparing(async (input) => {
    if (built.length > 3) return await copyFile(input);
    void prepared.during(async () => {});
    input.signal.throwIfAborted();
  });
  prepared.prepare(wanted("a.mp4"));
  await prepared.untilIdle();
  expect(built).toHaveLength(4);
  expect(await found("a.mp4")).toBe("bytes of a.mp4");
});

test("nothing is built while something is rendered", async () => {
  const { prepared, built } = preparing();
  const rendered = Promise.withResolvers<void>();
  const rendering = prepared.during(() => rendered.promise);
  prepared.prepare(wanted("a.mp4"));
  // a second rendering begins and ends
  await prepared.during(async () => {});
  expect(built).toEqual([]);
  rendered.resolve();
  await rendering;
  await prepared.untilIdle();
  expect(built).toEqual(["a.mp4"]);
});

test("a source that cannot be prepared is not tried again", async () => {
  const { prepared, built, failures, found } = preparing(() => Promise.reject(new Error("damaged")));
  for (let attempt = 0; attempt < 2; attempt++) {
    expect(await found("a.mp4")).toBeUndefined();
    await prepared.untilIdle();
  }
  expect(built).toEqual(["a.mp4"]);
  expect(failures).toEqual([new Error("damaged")]);
  expect(await jobFolders()).toEqual([]);
});

test("a source is tried again after a failure that says nothing about it", async () => {
  const { prepared, built, found } = preparing(async (input) => {
    if (built.length === 1) throw new DomainError("busy", { retryAfterSeconds: 1 });
    await copyFile(input);
  });
  for (let attempt = 0; attempt < 2; attempt++) {
    expect(await found("a.mp4")).toBeUndefined();
    await prepared.untilIdle();
  }
  expect(await found("a.mp4")).toBe("bytes of a.mp4");
});

test("what is larger than the cache is not built again", async () => {
  const { prepared, built, found } = preparing(copyFile, 0);
  for (let attempt = 0; attempt < 2; attempt++) {
    expect(await found("a.mp4")).toBeUndefined();
    await prepared.untilIdle();
  }
  expect(built).toEqual(["a.mp4"]);
});

test("a damaged entry is not used, and is built again", async () => {
  const { prepared, found, kind, cache } = preparing();
  expect(await found("a.mp4")).toBeUndefined();
  await prepared.untilIdle();
  const path = `${folder}/${crypto.randomUUID()}`;
  await prepared.linkTo(kind, wanted("a.mp4"), path);
  // both names are one file
  await Bun.write(path, "other bytes");
  expect(await cache.listProjects()).toEqual(["project"]);
  expect(await found("a.mp4")).toBeUndefined();
  await prepared.untilIdle();
  expect(await found("a.mp4")).toBe("bytes of a.mp4");
});

test("users take turns", async () => {
  const { prepared, built } = preparing();
  for (const file of ["a.mp4", "b.mp4", "c.mp4"]) prepared.prepare(wanted(file, { owner: "ann" }));
  prepared.prepare(wanted("d.mp4", { owner: "ben" }));
  await prepared.untilIdle();
  expect(built.indexOf("d.mp4")).toBeLessThan(built.indexOf("c.mp4"));
});

import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { setImmediate as nextTurn } from "node:timers/promises";
import { sql } from "drizzle-orm";
import type { JobLease } from "../../../src/domain/exports/lifecycle/jobs.ts";
import type { Ffmpeg } from "../../../src/engine/ffmpeg/ffmpeg.ts";
import type { ExportProgress, RenderCache, RenderTasks } from "../../../src/engine/ports.ts";
import { ffmpegRenderer } from "../../../src/engine/render/renderer.ts";
import { openTaskQueue } from "../../../src/engine/render/tasks/task-queue.ts";
import type { Timeline } from "../../../src/engine/timeline/timeline.ts";
import { changeFeed } from "../../../src/storage/changes/feed.ts";
import { renderTaskStore } from "../../../src/storage/exports/render-tasks.ts";
import { diskFiles } from "../../../src/storage/files/disk-files.ts";
import { diskRenderCache } from "../../../src/storage/files/render-cache.ts";
import { leaseStore } from "../../../src/storage/leases/store.ts";
import { openBucket } from "../../../src/storage/s3/bucket.ts";
import { sharedRenderCache } from "../../../src/storage/s3/render-cache.ts";
import { exportJobs, exportRuns } from "../../../src/storage/tables/exports.ts";
import { leases as leaseRows } from "../../../src/storage/tables/leases.ts";
import { addProject, queuedExport } from "../../storage/samples.ts";
import { type FreshDatabase, freshDatabase } from "../../support/database.ts";
import { drawNumbers, lumaFrames, numberOn, videoSource } from "../../support/media/draw-media.ts";
import { directFfmpeg, ffmpegs, temporaryFolder } from "../../support/media/ffmpeg.ts";
import { heldFfmpeg } from "../../support/media/held-ffmpeg.ts";
import { clip, timeline } from "../../support/media/timelines.ts";
import { s3Server } from "../../support/s3-server.ts";

let folder: string;
let files: Awaited<ReturnType<typeof diskFiles>>;
let database: FreshDatabase;
let ffmpeg: Ffmpeg;
let film: Timeline;
let cacheFolder: string;

const [build] = ffmpegs();
const clips = 4;
const clipFrames = 20;
const frames = clips * clipFrames;

beforeAll(async () => {
  folder = await temporaryFolder();
  files = await diskFiles(`${folder}/store`);
  database = await freshDatabase();
  ffmpeg = await directFfmpeg(build!.path);
  const sources = Array.from({ length: clips }, async (_, index) => {
    const name = `film-${index}.mp4`;
    await drawNumbers(`${folder}/${name}`, { first: 100 * index, frames: clipFrames, rate: "10" });
    await files.store({ path: `${folder}/${name}` }, name);
    return videoSource(name, { durationSeconds: 2 });
  });
  const stored = await Promise.all(sources);
  film = timeline(
    stored.map((source, index) => clip(source, index * clipFrames, (index + 1) * clipFrames)),
    { fps: 10 },
  );
});

afterAll(async () => {
  await database.close();
  await rm(folder, { recursive: true, force: true });
});

beforeEach(() => {
  cacheFolder = `${folder}/cache-${crypto.randomUUID()}`;
});

const allNumbers = Array.from(
  { length: frames },
  (_, frame) => 100 * Math.floor(frame / clipFrames) + (frame % clipFrames),
);

/** A process of its own that shares the cache, by default in the folder, with the number of commands that it ran for the picture. */
function newProcess(runner: Ffmpeg = ffmpeg, cache: RenderCache = diskRenderCache(cacheFolder, 2 ** 30)) {
  const process = { commands: 0 };
  const run: Ffmpeg["run"] = (command, options) => {
    if (command.outputArgs.at(-1)?.includes("segment-")) process.commands++;
    return runner.run(command, options);
  };
  const leases = leaseStore(database.db);
  const changes = changeFeed(database.listen);
  const renderer = ffmpegRenderer({
    ffmpeg: { ...runner, run },
    files,
    cache,
    leases,
    concurrency: 1,
    sharedFromPixels: 0,
  });
  return Object.assign(process, { renderer, runs: renderTaskStore(database.db, { leases, changes }) });
}

async function newAttempt(): Promise<JobLease> {
  const { id: projectId, userId } = await addProject(database.db);
  const { files: _, ...job } = queuedExport({ userId, projectId }, { status: "rendering", attempt: 1 });
  await database.db.insert(exportJobs).values(job);
  return { exportId: job.id, attempt: 1 };
}

const options = { quality: "draft" as const, owner: "user", projectId: "one", signal: new AbortController().signal };

type Watch = { onProgress?: (of: ExportProgress) => void; onPublished?: () => void };

async function export_(by: ReturnType<typeof newProcess>, lease: JobLease, { onProgress, onPublished }: Watch = {}) {
  const tasks = by.runs.of(lease);
  const publish: RenderTasks["publish"] = (...runs) => tasks.publish(...runs).finally(onPublished);
  const sharedTasks = { ...tasks, publish };
  const { videos, dispose } = await by.renderer.render([film], { ...options, onProgress, sharedTasks });
  const numbers = (await lumaFrames(build!, videos[0]!.path)).map(numberOn);
  const bytes = await Bun.file(videos[0]!.path).bytes();
  await dispose();
  return { numbers, hash: Bun.hash(bytes) };
}

const help = (by: ReturnType<typeof newProcess>, lease: JobLease, signal = options.signal) =>
  by.renderer.renderTasks([film], { ...options, signal, sharedTasks: by.runs.of(lease) });

test("a cold film asks the bucket for no segment that is not there", async () => {
  const server = s3Server({ pageSize: 1000 });
  const access = server.newBucket();
  const leases = leaseStore(database.db);
  const local = diskRenderCache(cacheFolder, 2 ** 30);
  const cache = sharedRenderCache(local, { bucket: openBucket(access), leases, maxBytes: 2 ** 30 });
  await export_(newProcess(ffmpeg, cache), await newAttempt());

  const parts = [...server.objectsOf(access).keys()].filter((key) => key.startsWith("parts/"));
  const asked = server.requests.filter((request) => request.startsWith(`GET /${access.bucket}/parts/`));
  // the sound, once before the lease and once under it
  expect(asked).toHaveLength(2);
  // the film's listing, and one for each run
  const listings = server.requests.filter((request) => request === `GET /${access.bucket}`);
  expect(listings.length).toBeWithin(2, parts.length / 2);
  await server.stop();
});

test("of many that wait for a run, one asks, and not all the time", async () => {
  const waiting = 16;
  let [claims, looks] = [0, 0];
  const shared: RenderTasks = {
    publish: async () => true,
    claim: async () => void claims++,
    finish: async () => {},
    async *finishedByOthers() {
      for (; looks < 3; looks++) {
        await nextTurn();
        yield [];
      }
      yield Array.from({ length: waiting }, (_, index) => index);
    },
    release: async () => {},
    remove: async () => {},
  };
  const pool = openTaskQueue(shared, waiting, () => {});
  const taken = await Promise.all(Array.from({ length: waiting }, () => pool.next(options.signal)));
  await pool.close();
  expect(taken.toSorted((one, other) => one - other)).toEqual(Array.from({ length: waiting }, (_, index) => index));
  expect(claims).toBeLessThanOrEqual(1 + looks);
});

const openRuns = () => database.db.$count(exportRuns);

/** An export whose own process holds its first run until `release`. */
async function heldExport(onProgress?: Watch["onProgress"]) {
  const { ffmpeg: heldBuild, ...held } = heldFfmpeg(ffmpeg);
  const owner = newProcess(heldBuild);
  const lease = await newAttempt();
  held.hold();
  const published = Promise.withResolvers<void>();
  const exporting = export_(owner, lease, { onProgress, onPublished: published.resolve });
  // with a concurrency of one, the sound is held before any run is claimed
  await held.heldCount(1);
  await published.promise;
  held.pass();
  return { owner, lease, exporting, release: held.release };
}

test("what another process renders is taken, counted, and the same as one process gives", async () => {
  const alone = newProcess();
  const { hash, numbers } = await export_(alone, await newAttempt());
  expect(numbers).toEqual(allNumbers);
  cacheFolder = `${folder}/cache-${crypto.randomUUID()}`;

  const counted = Promise.withResolvers<void>();
  const { owner, lease, exporting, release } = await heldExport(({ framesDone }) => {
    if (framesDone === frames) counted.resolve();
  });
  const helper = newProcess();
  await help(helper, lease);
  await counted.promise;
  release();

  expect((await exporting).hash).toBe(hash);
  expect([owner.commands, helper.commands]).toEqual([0, alone.commands]);
  expect(await openRuns()).toBe(0);
});

test("the export renders itself what a process that died has claimed", async () => {
  const { owner, lease, exporting, release } = await heldExport();
  const dead = newProcess().runs.of(lease);
  while (await dead.claim());
  await database.db.delete(leaseRows).where(sql`starts_with(name, 'render/')`);
  release();

  expect((await exporting).numbers).toEqual(allNumbers);
  expect(owner.commands).toBeGreaterThan(0);
});

test("the export renders itself what another process has finished and the cache has lost", async () => {
  const { owner, lease, exporting, release } = await heldExport();
  const helper = newProcess();
  await help(helper, lease);
  await rm(cacheFolder, { recursive: true });
  release();

  expect((await exporting).numbers).toEqual(allNumbers);
  expect(owner.commands).toBe(helper.commands);
});

test("a process with another ffmpeg renders nothing and gives its claim back", async () => {
  const { lease, exporting, release } = await heldExport();
  const helper = newProcess({ ...ffmpeg, version: "another" });
  const sharedTasks = helper.runs.of(lease);
  await expect(helper.renderer.renderTasks([film], { ...options, sharedTasks })).rejects.toThrow("other bytes");
  await sharedTasks.release();
  release();

  expect((await exporting).numbers).toEqual(allNumbers);
  expect(helper.commands).toBe(0);
});

test("without the database the export renders alone", async () => {
  const process = newProcess();
  const lease = await newAttempt();
  const away = async () => {
    throw new Error("away");
  };
  const shared = { ...process.runs.of(lease), claim: away, finish: away, remove: away };
  const { videos, dispose } = await process.renderer.render([film], { ...options, sharedTasks: shared });
  expect((await lumaFrames(build!, videos[0]!.path)).map(numberOn)).toEqual(allNumbers);
  await dispose();
  await database.db.delete(exportRuns);
});

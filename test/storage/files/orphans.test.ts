import { afterAll, expect, test } from "bun:test";
import { mkdtemp, rm, utimes } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { assetStore } from "../../../src/storage/assets/store.ts";
import { diskFiles } from "../../../src/storage/files/disk-files.ts";
import { sweepOrphanedFiles } from "../../../src/storage/files/orphans.ts";
import { toRow, toStepRow } from "../../../src/storage/films/rows.ts";
import { idempotencyStore } from "../../../src/storage/idempotency/store.ts";
import { filmSteps, films } from "../../../src/storage/tables/films.ts";
import { workMediaStore } from "../../../src/storage/works/media-store.ts";
import { freshDatabase } from "../../support/database.ts";
import { isStored } from "../../support/stored-files.ts";
import { addProject, addUser, addWork, aFile, aFilm, anAsset, someMedia } from "../samples.ts";

const { db, close } = await freshDatabase();
const folder = await mkdtemp(join(tmpdir(), "reelwright-"));
const files = await diskFiles(folder);

afterAll(async () => {
  await close();
  await rm(folder, { recursive: true, force: true });
});

async function store(key: string, ageHours: number, into = files): Promise<void> {
  await into.store(await into.receive(Readable.from([Buffer.from(key)]), 100), key);
  const writtenAt = Date.now() / 1000 - ageHours * 60 * 60;
  await into.withLocalFile({ key }, (path) => utimes(path, writtenAt, writtenAt));
}

/** A completed export request with an Idempotency-Key whose response is this file. */
async function completeWithFile(key: string): Promise<void> {
  const claim = { userId: (await addUser(db)).id, key: "key", fingerprint: "print", claimId: "claim" };
  const requests = idempotencyStore(db);
  await requests.claim({ ...claim, expiresAt: Date.now() + 60_000 });
  await requests.complete(claim, { status: 200, headers: {}, file: { key, sizeBytes: 1 } });
}

test("stored files that no row references are removed after a day", async () => {
  const { id } = await addProject(db);
  await assetStore(db).add(anAsset(id, { file: aFile("p/asset.png"), thumbnailKey: "p/thumbnail.webp" }));
  const work = await addWork(db, id);
  await workMediaStore(db).put(id, work.id, someMedia("audio", "p/song.mp3"), (found) => found);
  await completeWithFile("p/export.mp4");
  for (const key of ["p/asset.png", "p/thumbnail.webp", "p/song.mp3", "p/export.mp4", "p/orphan.mp4"]) {
    await store(key, 25);
  }
  await store("p/young.mp4", 23);

  expect(await sweepOrphanedFiles(db, files)).toBe(1);

  const remaining = await files.keysWrittenBefore(Date.now());
  expect(remaining.toSorted()).toEqual([
    "p/asset.png",
    "p/export.mp4",
    "p/song.mp3",
    "p/thumbnail.webp",
    "p/young.mp4",
  ]);
});

test("files that an unfinished film goes on from stay until it has ended", async () => {
  const { id: projectId, userId } = await addProject(db);
  const film = aFilm({ userId, projectId }, { status: "waiting", waitingFor: "storage" });
  const checkpoints = {
    image: { state: "job" as const, id: "u/picture" },
    "voice/0/0": { state: "done" as const, result: "u/voice" },
    export: { state: "started" as const },
  };
  await db.insert(films).values(toRow(film));
  const step = { id: "scene-0-image", kind: "image" as const, dependsOn: [], status: "waiting" as const };
  await db.insert(filmSteps).values(toStepRow(film.id, { ...step, attempts: [], checkpoints }, 0));
  for (const key of ["u/picture", "u/voice", "u/other"]) await store(key, 25);

  expect(await sweepOrphanedFiles(db, files)).toBe(1);
  expect(await isStored(files, { key: "u/picture" })).toBe(true);
  expect(await isStored(files, { key: "u/voice" })).toBe(true);

  await db.update(films).set({ status: "cancelled" });
  expect(await sweepOrphanedFiles(db, files)).toBe(2);
});

test("a link to an old file is as young as a new file, until its row is written", async () => {
  await store("p/asset.webm", 25);
  await files.copy("p/asset.webm", "p/copy.webm");

  await sweepOrphanedFiles(db, files);

  expect(await isStored(files, { key: "p/copy.webm" })).toBe(true);
});

test("files of another database are not removed", async () => {
  const elsewhere = await diskFiles(join(folder, "elsewhere"));
  expect(await elsewhere.claimForDatabase("another database")).toBe(true);
  await store("p/old.mp4", 25, elsewhere);

  await expect(sweepOrphanedFiles(db, elsewhere)).rejects.toThrow("The files belong to another database");

  expect(await elsewhere.keysWrittenBefore(Date.now())).toEqual(["p/old.mp4"]);
});

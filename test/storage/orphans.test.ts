import { afterAll, expect, test } from "bun:test";
import { mkdtemp, rm, utimes } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { assetStore } from "../../src/storage/asset-store.ts";
import { diskFiles } from "../../src/storage/disk-files.ts";
import { sweepOrphans } from "../../src/storage/orphans.ts";
import { workMediaStore } from "../../src/storage/work-media-store.ts";
import { freshDatabase } from "../helpers/database.ts";
import { addProject, addWork, aFile, anAsset, someMedia } from "./samples.ts";

const { db, close } = await freshDatabase();
const folder = await mkdtemp(join(tmpdir(), "reelwright-"));
const files = await diskFiles(folder);

afterAll(async () => {
  await close();
  await rm(folder, { recursive: true, force: true });
});

async function store(key: string, ageHours: number): Promise<void> {
  await files.keep(await files.receive(Readable.from([Buffer.from(key)]), 100), key);
  const writtenAt = Date.now() / 1000 - ageHours * 60 * 60;
  await utimes(await files.localPath(key), writtenAt, writtenAt);
}

test("stored files that no row names are removed after a day", async () => {
  const { id } = await addProject(db);
  await assetStore(db).add(anAsset(id, { file: aFile("p/asset.png"), thumbnailKey: "p/thumbnail.webp" }));
  const work = await addWork(db, id);
  await workMediaStore(db).put(id, work.id, someMedia("audio", "p/song.mp3"), (found) => found);
  for (const key of ["p/asset.png", "p/thumbnail.webp", "p/song.mp3", "p/orphan.mp4"]) await store(key, 25);
  await store("p/young.mp4", 23);

  expect(await sweepOrphans(db, files)).toBe(1);

  const left = await files.keysBefore(Date.now());
  expect(left.toSorted()).toEqual(["p/asset.png", "p/song.mp3", "p/thumbnail.webp", "p/young.mp4"]);
});

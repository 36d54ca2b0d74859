import { expect, test } from "bun:test";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase } from "../../../src/storage/database/database.ts";
import { takeLock } from "../../../src/storage/database/file-lock.ts";
import { codeOf } from "../samples.ts";

async function withFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "reelwright-"));
  await work(folder).finally(() => rm(folder, { recursive: true, force: true }));
}

test("opening a damaged database fails with an error that names its folder and what to do", () =>
  withFolder(async (dataDir) => {
    await mkdir(join(dataDir, "postgres"));
    await writeFile(join(dataDir, "postgres/PG_VERSION"), "18\n");

    const message = await codeOf(openDatabase({ dataDir }));

    expect(message).toBe(
      `The embedded database in ${dataDir}/postgres cannot be opened: ` +
        "its files are damaged, or the disk is full: free some space, restore a backup of the folder, or move it away to start empty.",
    );
  }));

test("opening fails with an error that names a data folder that is not writable", () =>
  withFolder(async (dataDir) => {
    await mkdir(join(dataDir, "lock"));

    expect(await codeOf(openDatabase({ dataDir }))).toBe(
      `The data folder ${dataDir} cannot be written: check its owner, its disk and whether it is mounted read-only, or choose another DATA_DIR.`,
    );
  }));

test("a database whose folder cannot be written is not called damaged", () =>
  withFolder(async (dataDir) => {
    await mkdir(join(dataDir, "postgres/write-check"), { recursive: true });

    expect(await codeOf(openDatabase({ dataDir }))).toBe(
      `The embedded database in ${dataDir}/postgres cannot be opened: it cannot be written (EISDIR): ` +
        "check its owner, its disk and whether it is mounted read-only, or choose another DATA_DIR.",
    );
  }));

test("a released lock can be taken again, even by the same process", () =>
  withFolder(async (folder) => {
    const path = join(folder, "lock");
    const lock = takeLock(path)!;
    expect(takeLock(path)).toBeUndefined();

    lock.release();

    takeLock(path)!.release();
    expect(await readdir(folder)).toEqual(["lock"]);
  }));

test("an unreachable server fails with an error that contains no password", async () => {
  const databaseUrl = "postgres://ann:secret@127.0.0.1:9/films";

  const message = await codeOf(openDatabase({ databaseUrl, dataDir: "unused" }));

  expect(message).toStartWith("The database cannot be used (PostgreSQL at 127.0.0.1:9/films): ");
  expect(message).not.toContain("secret");
});

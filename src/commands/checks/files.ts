import { stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { and, gt, isNotNull } from "drizzle-orm";
import { type Database, openDatabase } from "../../storage/database/database.ts";
import { exportFiles } from "../../storage/tables/exports.ts";
import { generatedMedia } from "../../storage/tables/generated-media.ts";
import { assets, workMedia } from "../../storage/tables/projects.ts";
import { type Check, type Finding, failure, ok } from "./check.ts";

const maxListed = 1000;

/** Compares the size of each stored file with its row. Reads no file. */
export const filesCheck: Check = {
  name: "files",
  settings: ["DATABASE_URL", "DATA_DIR", "STORAGE"],
  async run({ STORAGE, DATABASE_URL, DATA_DIR }) {
    if (STORAGE === "s3") return [ok("The object store compares the files with their hashes itself.")];
    const database = await openDatabase({ dataDir: DATA_DIR, databaseUrl: DATABASE_URL, ifPending: "reject" });
    try {
      return await examineFiles(database.db, resolve(DATA_DIR, "files"));
    } finally {
      await database.close();
    }
  },
};

async function examineFiles(db: Database, folder: string): Promise<readonly Finding[]> {
  const damaged: Finding[] = [];
  let files = 0;
  for await (const { key, sizeBytes } of listedFiles(db)) {
    files++;
    const path = join(folder, key);
    const size = await sizeOf(path);
    if (size === sizeBytes) continue;
    const found = size === undefined ? "is missing" : `has ${size} bytes instead of ${sizeBytes}`;
    damaged.push(failure(`${path} ${found}.`, "Restore it from a backup."));
    if (damaged.length === maxListed) break;
  }
  return damaged.length > 0 ? damaged : [ok(`${files} files exist, with the sizes of their rows.`)];
}

const sizeOf = (path: string): Promise<number | undefined> =>
  stat(path).then(
    ({ size }) => size,
    () => undefined,
  );

const rowsAtOnce = 500;

/** All files with a size, by key, a page at a time. */
async function* listedFiles(db: Database) {
  for (const table of [assets, workMedia, generatedMedia, exportFiles]) {
    for (let after = ""; ; ) {
      const rows = await db
        .select({ key: table.fileKey, sizeBytes: table.sizeBytes })
        .from(table)
        .where(and(isNotNull(table.fileKey), gt(table.fileKey, after)))
        .orderBy(table.fileKey)
        .limit(rowsAtOnce);
      yield* rows;
      after = rows.at(-1)?.key ?? after;
      if (rows.length < rowsAtOnce) break;
    }
  }
}

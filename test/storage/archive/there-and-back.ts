import { expect } from "bun:test";
import { archiveOf, filesOf, importInto, rowsOf } from "../../support/archives.ts";
import { freshDatabase, inMemory } from "../../support/database.ts";
import { s3Server } from "../../support/s3-server.ts";
import { settingsFor, testService } from "../../support/service.ts";
import { archivedAccount } from "./archived-account.ts";

/** Moves the account to a service with an object store, and from there to one with a folder. */
export async function thereAndBack() {
  const { source, archive, count, problems } = await archivedAccount();
  const store = s3Server();
  // with TEST_DATABASE_URL the other two are on a server
  const away = await testService(settingsFor(store.newBucket()), undefined, undefined, undefined, inMemory);
  await importInto(away, archive);
  const back = await archiveOf(away);
  const home = await testService({ STORAGE: "local" }, undefined, undefined, undefined, freshDatabase);
  await importInto(home, back.bytes);
  const close = async () => {
    await Promise.all([away.close(), home.close()]);
    await store.stop();
  };

  const expectEqual = async () => {
    expect(problems).toEqual([]);
    const rows = await rowsOf(source);
    expect(Object.entries(rows).filter(([, found]) => found.length === 0)).toEqual([]);
    const files = await filesOf(source);
    expect(Object.keys(files).length).toBeGreaterThan(4);
    for (const service of [away, home]) {
      expect(await rowsOf(service)).toEqual(rows);
      expect(await filesOf(service)).toEqual(files);
    }
    expect(back.count).toEqual(count);
  };
  return { away, home, expectEqual, close };
}

import { afterAll, expect, test } from "bun:test";
import { readStorageUsage } from "../../../src/storage/database/storage-usage.ts";
import { archiveOf, importInto, rowsOf } from "../../support/archives.ts";
import { jsonClient } from "../../support/json-client.ts";
import { summedStorage } from "../../support/summed-storage.ts";
import { archivedAccount, clear } from "./archived-account.ts";
import { thereAndBack } from "./there-and-back.ts";

const { user, account } = await archivedAccount();
const { away, home, expectEqual, close } = await thereAndBack();
afterAll(close);

test("the rows and files of an account are the same in another database and store, and back in those of the first kind", async () => {
  await expectEqual();
  for (const { db } of [away, home]) {
    expect(await readStorageUsage(db, user.id)).toEqual(await summedStorage(db, user.id));
  }
});

test("an archive of a user or of a project holds no row of others", async () => {
  const bob = await home.register("Bob");
  await jsonClient(bob)("POST", "/api/projects", { name: "Bob's" });
  const { bytes } = await archiveOf(home, { kind: "user", user });
  await clear(away);
  await importInto(away, bytes);
  expect((await rowsOf(away)).users).toHaveLength(1);
  expect((await rowsOf(away)).projects).toHaveLength(1);

  const project = { id: account.projectId, name: "Launch" };
  const ofProject = await archiveOf(home, { kind: "project", project, user });
  const ofUser = ["users", "api_tokens", "generated_media"];
  const tables = Object.entries(await rowsOf(away)).filter(([name]) => !ofUser.includes(name));
  // the other call belongs to no project
  expect(ofProject.count.rows).toBe(tables.flatMap(([, rows]) => rows).length - 1);
});

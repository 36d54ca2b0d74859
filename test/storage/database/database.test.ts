import { expect, setDefaultTimeout, test } from "bun:test";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase } from "../../../src/storage/database/database.ts";
import { takeLock } from "../../../src/storage/database/file-lock.ts";
import { userStore } from "../../../src/storage/stores/users.ts";
import { emptyServerDatabase, serverUrl } from "../../helpers/database.ts";
import { frozenProxy } from "../frozen-proxy.ts";
import { aUser, codeOf } from "../samples.ts";

setDefaultTimeout(60_000);

const modulePath = (file: string) => JSON.stringify(join(import.meta.dir, "../../../src/storage", file));

async function withFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "reelwright-"));
  await work(folder).finally(() => rm(folder, { recursive: true, force: true }));
}

async function withServerDatabase(work: (databaseUrl: string) => Promise<void>): Promise<void> {
  const { databaseUrl, drop } = await emptyServerDatabase(serverUrl!);
  await work(databaseUrl).finally(drop);
}

/** Opens the database in another process, from another folder, adds a user and stays. */
async function openElsewhere(location: object, user: object) {
  const code = `
    const { openDatabase } = await import(${modulePath("database/database.ts")});
    const { userStore } = await import(${modulePath("stores/users.ts")});
    const handle = await openDatabase(${JSON.stringify(location)});
    await userStore(handle.db).add(${JSON.stringify(user)});
    console.log(handle.description);
    setInterval(() => {}, 1000);`;
  const child = Bun.spawn([process.execPath, "-e", code], { cwd: "/", stdout: "pipe", stderr: "inherit" });
  const { value } = await child.stdout.getReader().read();
  return { description: new TextDecoder().decode(value).trim(), child };
}

test("a data folder is open in one process at a time, and whole again when that one is killed", () =>
  withFolder(async (dataDir) => {
    const user = aUser();
    const { description, child } = await openElsewhere({ dataDir }, user);
    expect(description).toBe(`embedded PostgreSQL in ${dataDir}/postgres`);
    const sentence = `Another process is using the data folder ${dataDir}: stop it, or choose another DATA_DIR.`;
    expect(await codeOf(openDatabase({ dataDir }))).toBe(sentence);

    child.kill("SIGKILL");
    await child.exited;
    const handle = await openDatabase({ dataDir });
    expect(await codeOf(openDatabase({ dataDir }))).toBe(sentence);
    expect(handle.description).toBe(description);
    expect(await userStore(handle.db).findByEmail(user.email)).toEqual(user);
    await handle.ping();
    await handle.close();
  }));

test("a damaged database stops the start with a sentence that names its folder and what to do", () =>
  withFolder(async (dataDir) => {
    await mkdir(join(dataDir, "postgres"));
    await writeFile(join(dataDir, "postgres/PG_VERSION"), "18\n");

    const message = await codeOf(openDatabase({ dataDir }));

    expect(message).toBe(
      `The embedded database in ${dataDir}/postgres cannot be opened: ` +
        "its files are damaged, or the disk is full: make room, put a backup of the folder back, or move it away to begin anew.",
    );
  }));

test("a data folder that cannot be written stops the start with a sentence that names it", () =>
  withFolder(async (dataDir) => {
    await mkdir(join(dataDir, "lock"));

    expect(await codeOf(openDatabase({ dataDir }))).toBe(
      `The data folder ${dataDir} cannot be written: check its owner and its disk, or choose another DATA_DIR.`,
    );
  }));

test("a lock that is released can be taken again, by the same process too", () =>
  withFolder(async (folder) => {
    const path = join(folder, "lock");
    const lock = takeLock(path)!;
    expect(takeLock(path)).toBeUndefined();

    lock.release();

    takeLock(path)!.release();
    expect(await readdir(folder)).toEqual(["lock"]);
  }));

test("a server that cannot be reached stops the start with a sentence that holds no password", async () => {
  const databaseUrl = "postgres://ann:secret@127.0.0.1:9/films";

  const message = await codeOf(openDatabase({ databaseUrl, dataDir: "unused" }));

  expect(message).toStartWith("The database cannot be used (PostgreSQL at 127.0.0.1:9/films): ");
  expect(message).not.toContain("secret");
});

test.if(!!serverUrl)("three processes that start at once on an empty database all come up", () =>
  withServerDatabase(async (databaseUrl) => {
    const start = () => openElsewhere({ databaseUrl, dataDir: "unused" }, aUser());

    const started = await Promise.all([start(), start(), start()]);

    for (const { description } of started) expect(description).toStartWith("PostgreSQL at ");
    for (const { child } of started) child.kill();
    await Promise.all(started.map(({ child }) => child.exited));
  }),
);

test.if(!!serverUrl)("a server that freezes makes the database unavailable, until it moves again", () =>
  withServerDatabase(async (databaseUrl) => {
    const proxy = await frozenProxy(databaseUrl);
    const handle = await openDatabase({ databaseUrl: proxy.databaseUrl, dataDir: "unused" });
    const users = userStore(handle.db);
    await handle.ping();

    proxy.freeze();
    const calls = [handle.ping(), users.find("user_1"), users.add(aUser())];
    expect(await Promise.all(calls.map(codeOf))).toEqual(["unavailable", "unavailable", "unavailable"]);

    proxy.thaw();
    expect(await users.find("user_1")).toBeUndefined();
    await handle.close();
    proxy.close();
  }),
);

test.if(!!serverUrl)("a server that goes away is unavailable at once, and then there again", () =>
  withServerDatabase(async (databaseUrl) => {
    const proxy = await frozenProxy(databaseUrl);
    const handle = await openDatabase({ databaseUrl: proxy.databaseUrl, dataDir: "unused" });
    await handle.ping();

    proxy.goAway();
    expect(await codeOf(handle.ping())).toBe("unavailable");
    expect(await codeOf(userStore(handle.db).find("user_1"))).toBe("unavailable");

    await proxy.comeBack();
    await handle.ping();
    await handle.close();
    proxy.close();
  }),
);

import { expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { userStore } from "../../../src/storage/accounts/users.ts";
import { openDatabase } from "../../../src/storage/database/database.ts";
import { emptyServerDatabase, prepareDataFolder, serverUrl } from "../../support/database.ts";
import { freezableProxy } from "../freezable-proxy.ts";
import { aUser, codeOf } from "../samples.ts";

const modulePath = (file: string) => JSON.stringify(join(import.meta.dir, "../../../src/storage", file));

async function withFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "reelwright-"));
  await work(folder).finally(() => rm(folder, { recursive: true, force: true }));
}

async function withServerDatabase(work: (databaseUrl: string) => Promise<void>): Promise<void> {
  const { databaseUrl, drop } = await emptyServerDatabase(serverUrl!);
  await work(databaseUrl).finally(drop);
}

/** Opens the database in another process with another working directory, adds a user and keeps the process running. */
async function openInOtherProcess(location: object, user: object) {
  const code = `
    const { openDatabase } = await import(${modulePath("database/database.ts")});
    const { userStore } = await import(${modulePath("accounts/users.ts")});
    const handle = await openDatabase(${JSON.stringify(location)});
    await userStore(handle.db).add(${JSON.stringify(user)});
    console.log(handle.description);
    setInterval(() => {}, 1000);`;
  const child = Bun.spawn([process.execPath, "-e", code], { cwd: "/", stdout: "pipe", stderr: "inherit" });
  const { value } = await child.stdout.getReader().read();
  return { description: new TextDecoder().decode(value).trim(), child };
}

test("one process at a time opens a data folder, and its data survives a kill", () =>
  withFolder(async (dataDir) => {
    await prepareDataFolder(dataDir);
    const user = aUser();
    const { description, child } = await openInOtherProcess({ dataDir }, user);
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

test.if(!!serverUrl)("three processes can start at once on an empty database", () =>
  withServerDatabase(async (databaseUrl) => {
    const start = () => openInOtherProcess({ databaseUrl, dataDir: "unused" }, aUser());

    const started = await Promise.all([start(), start(), start()]);

    for (const { description } of started) expect(description).toStartWith("PostgreSQL at ");
    for (const { child } of started) child.kill();
    await Promise.all(started.map(({ child }) => child.exited));
  }),
);

test.if(!!serverUrl)("a frozen server is unavailable until it responds again", () =>
  withServerDatabase(async (databaseUrl) => {
    const proxy = await freezableProxy(databaseUrl);
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

test.if(!!serverUrl)("a lost server is unavailable at once and works again after it returns", () =>
  withServerDatabase(async (databaseUrl) => {
    const proxy = await freezableProxy(databaseUrl);
    const handle = await openDatabase({ databaseUrl: proxy.databaseUrl, dataDir: "unused" });
    await handle.ping();

    proxy.disconnect();
    expect(await codeOf(handle.ping())).toBe("unavailable");
    expect(await codeOf(userStore(handle.db).find("user_1"))).toBe("unavailable");

    await proxy.reconnect();
    await handle.ping();
    await handle.close();
    proxy.close();
  }),
);

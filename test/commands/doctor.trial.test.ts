import { afterAll, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { Client } from "pg";
import { databaseCheck } from "../../src/commands/checks/database.ts";
import { filesCheck } from "../../src/commands/checks/files.ts";
import { secretFingerprint } from "../../src/security/secret-hashes.ts";
import { noteSecretUse } from "../../src/storage/accounts/secret-uses.ts";
import { userStore } from "../../src/storage/accounts/users.ts";
import { openDatabase } from "../../src/storage/database/database.ts";
import { takeLock } from "../../src/storage/database/file-lock.ts";
import { generatedMediaStore } from "../../src/storage/generated-media/store.ts";
import { aUser } from "../storage/samples.ts";
import { textOf } from "../support/child-processes.ts";
import { emptyServerDatabase, prepareDataFolder, preparedServerDatabase, serverUrl } from "../support/database.ts";
import { imageSource } from "../support/media/draw-media.ts";
import { temporaryFolder } from "../support/media/ffmpeg.ts";
import { withoutLandlock } from "../support/media/without-landlock.ts";
import { s3Server } from "../support/s3-server.ts";
import { settingsFor } from "../support/service.ts";
import { checkLines } from "./check-lines.ts";

const folder = await temporaryFolder();
const store = s3Server();
afterAll(async () => {
  await store.stop();
  await rm(folder, { recursive: true, force: true });
});

type Variables = Record<string, string>;
const linesOf = checkLines(folder);
const onServer = (databaseUrl: string) => ({ DATABASE_URL: databaseUrl, JWT_SECRET: "x".repeat(32) });

/** On a machine without Landlock if `prefix` says so. */
async function run(variables: Variables, args: readonly string[] = [], prefix: readonly string[] = []) {
  const program = join(import.meta.dir, "../../src/commands/doctor.ts");
  const { HOME = "", FFMPEG_PATH = "" } = process.env;
  const env = { HOME, FFMPEG_PATH, DATA_DIR: join(folder, "data"), ...variables };
  const { stdout, stderr, exited } = Bun.spawn([...prefix, process.execPath, program, ...args], {
    env,
    stdout: "pipe",
    stderr: "pipe",
  });
  const [printed, message, code] = await Promise.all([textOf(stdout), textOf(stderr), exited]);
  return { printed, message, code };
}

test("where all is well each part has a line, and warnings do not fail", async () => {
  const { printed, code } = await run({ PATH: "" }, ["--json"], withoutLandlock());
  const report = JSON.parse(printed);
  expect(report.checks.filter(({ status }: { status: string }) => status === "failure")).toEqual([]);
  const names = new Set(report.checks.map(({ check }: { check: string }) => check));
  expect([...names]).toEqual([
    "settings",
    "database",
    "disk",
    "storage",
    "ffmpeg",
    "sandbox",
    "fonts",
    "models",
    "prices",
  ]);
  const warned = report.checks.filter(({ status }: { status: string }) => status === "warning");
  expect(warned.map(({ message }: { message: string }) => message)).toContain('The layer "files" is not available.');
  expect([report.ok, code]).toEqual([true, 0]);
});

test("every failure is on a line of its own, and no secret is printed", async () => {
  const { printed, message, code } = await run({
    PATH: process.env.PATH ?? "",
    PORT: "none",
    EXPORT_CONCURRENCY: "0",
    DATABASE_URL: "postgres://user:hidden-password@127.0.0.1:1/videos",
    FFMPEG_PATH: "/missing/ffmpeg",
    ...settingsFor({ ...store.newBucket(), secretAccessKey: "hidden-key" }),
  });
  expect(printed).toContain("failure   settings  PORT must be a whole number.\n");
  expect(printed).toContain("failure   settings  EXPORT_CONCURRENCY must be at least 1.\n");
  expect(printed).toContain("failure   settings  JWT_SECRET must be set when DATABASE_URL is");
  expect(printed).toContain(
    "failure   database  PostgreSQL at 127.0.0.1:1/videos is not running there (ECONNREFUSED).",
  );
  expect(printed).toContain("(403 SignatureDoesNotMatch). Correct S3_SECRET_ACCESS_KEY.\n");
  expect(printed).toContain(
    "failure   ffmpeg    /missing/ffmpeg cannot be run: set FFMPEG_PATH to a working ffmpeg.\n",
  );
  expect(printed + message).not.toContain("hidden");
  expect(code).toBe(1);
});

test.if(!!serverUrl)("a database of the server is ready, missing, or without rights", async () => {
  const { databaseUrl, name, drop } = await preparedServerDatabase(serverUrl!);
  const role = name.replace("test", "role");
  const admin = new Client({ connectionString: databaseUrl });
  await admin.connect();
  try {
    const lines = await linesOf(databaseCheck, onServer(databaseUrl));
    // the line of connections depends on who else uses the server
    expect(lines.toSpliced(3, 1).map((line) => line.split(" ")[0])).toEqual(["ok", "ok", "ok", "ok"]);
    expect(lines[2]).toMatch(/^ok All \d+ migrations are applied\.$/);
    expect(lines[3]).toMatch(/ processes with up to 11 each/);
    const pooled = { ...onServer(databaseUrl), DATABASE_POOL_SIZE: "1000" };
    expect((await linesOf(databaseCheck, pooled))[3]).toMatch(
      /^warning \d+ connections are free for the service: 0 processes with up to 1001 each, but 1 run\. Raise max_conn/,
    );

    const missing = databaseUrl.replace(name, "reelwright_missing");
    expect((await linesOf(databaseCheck, onServer(missing)))[0]).toContain("does not have this database (3D000)");

    await admin.query(`create role ${role} login`);
    const asRole = Object.assign(new URL(databaseUrl), { username: role }).href;
    expect((await linesOf(databaseCheck, onServer(asRole)))[1]).toMatch(
      /^failure \d+ tables belong to \w+: migrations/,
    );
    const empty = await emptyServerDatabase(serverUrl!);
    const emptyAsRole = Object.assign(new URL(empty.databaseUrl), { username: role }).href;
    expect((await linesOf(databaseCheck, onServer(emptyAsRole)))[1]).toMatch(
      /^failure The user may not create tables\./,
    );
    await empty.drop();

    await admin.query("insert into drizzle.__drizzle_migrations (hash, created_at) values ('x', 9999999999999)");
    expect((await linesOf(databaseCheck, onServer(databaseUrl)))[2]).toStartWith(
      "failure A newer version of the service has migrated the database.",
    );
  } finally {
    await admin.query(`drop role if exists ${role}`);
    await admin.end();
    await drop();
  }
});

test.each(serverUrl ? ["embedded", "server"] : ["embedded"])(
  "another JWT_SECRET than that of the last start is a warning (%s)",
  async (kind) => {
    const dataDir = join(folder, `secrets of ${kind}`);
    await prepareDataFolder(dataDir);
    const server = kind === "server" ? await preparedServerDatabase(serverUrl!) : undefined;
    const database = { DATA_DIR: dataDir, ...(server && { DATABASE_URL: server.databaseUrl }) };
    const [ours, theirs] = ["a".repeat(32), "b".repeat(32)];
    const statuses = async (variables: Variables) =>
      (await linesOf(databaseCheck, { ...database, ...variables })).filter((line) => line.includes("JWT_SECRET"));
    expect(await statuses({ JWT_SECRET: ours })).toEqual([]);

    const handle = await openDatabase({ databaseUrl: server?.databaseUrl, dataDir });
    await noteSecretUse(handle.db, secretFingerprint(ours));
    await handle.close();

    expect(await statuses({ JWT_SECRET: ours })).toEqual([]);
    const [line] = await statuses({ JWT_SECRET: theirs });
    expect(line).toMatch(/^warning This database was used with another JWT_SECRET \(last start 20.*Give all processes/);
    await server?.drop();
  },
);

test("pending migrations of the embedded database are counted and stay pending", async () => {
  const dataDir = join(folder, "older");
  await prepareDataFolder(dataDir);
  const open = () => PGlite.create(join(dataDir, "postgres"));
  const client = await open();
  await client.query("delete from drizzle.__drizzle_migrations where id > 3");
  await client.close();

  for (const _ of [1, 2]) {
    const lines = await linesOf(databaseCheck, { DATA_DIR: dataDir });
    expect(lines[1]).toMatch(/^warning \d+ of \d+ migrations are pending\. Make a backup/);
  }
  const lock = takeLock(join(dataDir, "lock"));
  expect((await linesOf(databaseCheck, { DATA_DIR: dataDir }))[0]).toStartWith(
    "ok A running service uses the embedded database",
  );
  lock?.release();
  await Bun.write(join(dataDir, "postgres/global/pg_control"), "damaged");
  expect((await linesOf(databaseCheck, { DATA_DIR: dataDir }))[0]).toContain("cannot be opened: its files are damaged");
});

test("stored files that are cut or missing are listed", async () => {
  const dataDir = join(folder, "with-files");
  await prepareDataFolder(dataDir);
  const database = await openDatabase({ dataDir });
  const user = aUser();
  await userStore(database.db).add(user);
  for (const [index, key] of ["whole", "cut", "gone"].entries()) {
    const file = { key, sizeBytes: 5, sha256: "0", filename: key, facts: { ...imageSource(key).facts } };
    const media = { id: `media_${index}`, userId: user.id, createdAt: 0, expiresAt: 1 };
    await generatedMediaStore(database.db).add({ ...media, file });
  }
  await database.close();
  await Bun.write(join(dataDir, "files/whole"), "12345");
  await Bun.write(join(dataDir, "files/cut"), "123");
  const path = (name: string) => join(dataDir, "files", name);
  expect(await linesOf(filesCheck, { DATA_DIR: dataDir })).toEqual([
    `failure ${path("cut")} has 3 bytes instead of 5. Restore it from a backup.`,
    `failure ${path("gone")} is missing. Restore it from a backup.`,
  ]);
});

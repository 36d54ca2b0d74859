import { afterAll, expect, setSystemTime, test } from "bun:test";
import { chmod, chown, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { Client } from "pg";
import { type Check, runChecks } from "../../src/commands/checks/check.ts";
import { clockFinding } from "../../src/commands/checks/clock.ts";
import { databaseCheck } from "../../src/commands/checks/database.ts";
import { diskCheck } from "../../src/commands/checks/disk.ts";
import { ffmpegCheck } from "../../src/commands/checks/ffmpeg.ts";
import { filesCheck } from "../../src/commands/checks/files.ts";
import { objectStorageCheck } from "../../src/commands/checks/object-storage.ts";
import { modelsCheck, settingsCheck } from "../../src/commands/checks/settings.ts";
import { examineEnvironment } from "../../src/env.ts";
import { secretFingerprint } from "../../src/security/secret-fingerprint.ts";
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

const folder = await temporaryFolder();
const store = s3Server();
afterAll(async () => {
  await store.stop();
  await rm(folder, { recursive: true, force: true });
});

type Variables = Record<string, string>;

/** The lines of one check: `status message fix`. */
async function linesOf(check: Check, variables: Variables = {}): Promise<readonly string[]> {
  const { environment } = examineEnvironment({ DATA_DIR: join(folder, "data"), ...variables });
  const report = await runChecks([check], environment, { invalid: [], deadlineMs: 600_000 });
  return report.map(({ status, message, fix = "" }) => `${status} ${message} ${fix}`.trim());
}

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
  expect([...names]).toEqual(["settings", "database", "disk", "storage", "ffmpeg", "sandbox", "fonts", "models"]);
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

test("settings that are wrong in themselves do not make others wrong", () => {
  const names = (variables: Variables) => examineEnvironment(variables).errors.map(({ name }) => name);
  expect(names({ DATABASE_URL: "mysql://x", JWT_SECRET: "short", ROLE: "worker" })).toEqual([
    "DATABASE_URL",
    "JWT_SECRET",
  ]);
  expect(names({ ROLE: "worker" })).toEqual(["ROLE"]);
  expect(names({ STORAGE: "s3", S3_BUCKET: "b", S3_ENDPOINT: "x" })).toEqual([
    "S3_ENDPOINT",
    "S3_BUCKET",
    "S3_ACCESS_KEY_ID",
    "S3_SECRET_ACCESS_KEY",
  ]);
});

test("names that are probably misspelt are named, and names of other programs are not", async () => {
  const names = ["EXPORT_CONCURENCY", "S3_BUCKETT", "S3_FOLDER", "HOME", "OTEL_EXPORTER_OTLP_HEADERS", "LOG_LEVEL"];
  const check = settingsCheck([], names);
  expect((await linesOf(check)).slice(1)).toEqual([
    "warning EXPORT_CONCURENCY is no setting. Correct it to EXPORT_CONCURRENCY, or unset it.",
    "warning S3_BUCKETT is no setting. Correct it to S3_BUCKET, or unset it.",
    "warning S3_FOLDER is no setting. Unset it.",
  ]);
});

test("a worker on files of its own disk is a warning", async () => {
  const variables = { ...onServer("postgres://user@127.0.0.1/videos"), ROLE: "worker" };
  const lines = await linesOf(settingsCheck([], []), variables);
  expect(lines.join("\n")).toContain("warning A worker with STORAGE=local finds only the files of its own DATA_DIR.");
});

test("unknown providers and unwise settings are named", async () => {
  const unwise = { HOST: "0.0.0.0", RATE_LIMIT: "off", ALLOW_PRIVATE_NETWORK: "true" };
  const lines = await linesOf(settingsCheck([], []), {
    DEFAULT_LLM_PROVIDER: "none",
    DEFAULT_IMAGE_PROVIDER: "none",
    ...unwise,
  });
  expect(lines.map((line) => line.split(" ").slice(0, 2).join(" "))).toEqual([
    "failure DEFAULT_LLM_PROVIDER",
    "failure DEFAULT_IMAGE_PROVIDER",
    "warning PUBLIC_URL",
    "warning RATE_LIMIT",
    "warning ALLOW_PRIVATE_NETWORK",
  ]);
});

test("the models that providers end within 60 days are named", async () => {
  const on = async (day: string) => {
    setSystemTime(new Date(day));
    try {
      return await linesOf(modelsCheck);
    } finally {
      setSystemTime();
    }
  };
  expect(await on("2026-11-01")).toEqual(["ok None ends within 60 days."]);
  expect(await on("2027-01-20")).toEqual(["ok These end within 60 days: whisper-1 of OpenAI on 2027-02-26."]);
});

test("a check with an invalid setting does not run, and one that hangs ends", async () => {
  const hanging: Check = { name: "hanging", settings: ["PORT"], run: () => new Promise(() => {}) };
  const { environment } = examineEnvironment({});
  const [skipped] = await runChecks([hanging], environment, { invalid: ["PORT"], deadlineMs: 1 });
  expect(skipped).toMatchObject({ status: "warning", message: "Not checked.", fix: "Correct PORT first." });
  const [ended] = await runChecks([hanging], environment, { invalid: [], deadlineMs: 1 });
  expect(ended).toMatchObject({ status: "failure", message: "No answer within 0.001 seconds." });
});

/** Speaks enough of PostgreSQL's protocol to ask for a password, and refuses each. */
function refusingServer() {
  const message = (type: string, body: Buffer) => {
    const length = Buffer.alloc(4);
    length.writeInt32BE(body.length + 4);
    return Buffer.concat([Buffer.from(type), length, body]);
  };
  const asks = message("R", Buffer.from([0, 0, 0, 3]));
  const refuses = message("E", Buffer.from("SFATAL\0C28P01\0Mpassword authentication failed\0\0"));
  return Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: { data: (socket, data) => void (data[0] === 112 ? socket.end(refuses) : socket.write(asks)) },
  });
}

test("a wrong password, an unknown host and a server that is away are told apart", async () => {
  const server = refusingServer();
  const urlAt = (host: string) => onServer(`postgres://user:hidden@${host}/videos`);
  expect(await linesOf(databaseCheck, urlAt(`127.0.0.1:${server.port}`))).toEqual([
    `failure PostgreSQL at 127.0.0.1:${server.port}/videos refuses the user or the password (28P01). Correct them in DATABASE_URL, or the rule in pg_hba.conf.`,
  ]);
  server.stop(true);
  expect((await linesOf(databaseCheck, urlAt("127.0.0.1:1")))[0]).toContain("is not running there (ECONNREFUSED).");
  expect((await linesOf(databaseCheck, urlAt("host.invalid:5432")))[0]).toStartWith(
    "failure PostgreSQL at host.invalid:5432",
  );
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

test("the bucket is probed with each kind of request, and refusals name the setting", async () => {
  const access = store.newBucket();
  const lines = (changed: object, more: Variables = {}) =>
    linesOf(objectStorageCheck, { ...settingsFor({ ...access, ...changed }), ...more });
  const place = `the bucket ${access.bucket} at ${access.endpoint}`;

  expect(await lines({}, { S3_PUBLIC_URL: access.endpoint })).toEqual([
    `ok Objects in ${place} are listed, written, read and deleted.`,
    expect.stringMatching(/^ok The clocks of this machine and of the object store differ by \d+(\.\d)? s\.$/),
    "ok Signed URLs work at S3_PUBLIC_URL.",
  ]);
  expect(store.objectsOf(access).size).toBe(0);
  expect((await lines({ secretAccessKey: "wrong" }))[0]).toEndWith("Correct S3_SECRET_ACCESS_KEY.");
  expect((await lines({ accessKeyId: "wrong" }))[0]).toEndWith("Correct S3_ACCESS_KEY_ID.");
  expect((await lines({ bucket: "missing" }))[0]).toEndWith("Create the bucket, or correct S3_BUCKET.");
  expect((await lines({ endpoint: "http://127.0.0.1:1" }))[0]).toEndWith("Start the store, or correct S3_ENDPOINT.");
});

test.each([
  ["PUT", 403, "AccessDenied", "Allow the key s3:PutObject."],
  ["DELETE", 403, "AccessDenied", "Allow the key s3:DeleteObject."],
  ["GET", 403, "RequestTimeTooSkewed", "The clock of this machine is wrong: synchronize it with NTP."],
  ["GET", 301, "PermanentRedirect", "Correct S3_REGION and S3_ENDPOINT: the bucket is elsewhere."],
  ["GET", 400, "AuthorizationHeaderMalformed", "Correct S3_REGION."],
])("%s refused with %d %s is explained", async (method, status, code, fix) => {
  const body = `<Error><Code>${code}</Code></Error>`;
  store.failWith((request) => (request.method === method ? new Response(body, { status }) : undefined));
  const [line] = await linesOf(objectStorageCheck, settingsFor(store.newBucket()));
  store.failWith(undefined);
  expect(line).toContain(`is refused (${status} ${code}). ${fix}`);
});

test("a file in place of the data folder is found, and a good folder is left as it was", async () => {
  await Bun.write(join(folder, "file"), "");
  expect((await linesOf(diskCheck, { DATA_DIR: join(folder, "file/data") }))[0]).toStartWith("failure");
  const [written] = await linesOf(diskCheck, { DATA_DIR: folder });
  expect(written).toBe(`ok Files in ${folder} are written, read and deleted.`);
  expect([...new Bun.Glob("files/**").scanSync(folder)]).toEqual([]);
});

test.if(process.getuid?.() === 0)("nothing is tried in the folder of another user", async () => {
  const dataDir = join(folder, "foreign");
  await Bun.write(join(dataDir, "postgres/PG_VERSION"), "");
  for (const path of [dataDir, join(dataDir, "postgres")]) await chown(path, 12_345, 12_345);
  for (const check of [diskCheck, databaseCheck]) {
    expect((await linesOf(check, { DATA_DIR: dataDir }))[0]).toContain(
      "belongs to the user 12345, and this process runs as 0",
    );
  }
  expect(await Array.fromAsync(new Bun.Glob("**").scan(dataDir))).toEqual(["postgres/PG_VERSION"]);
});

test.if(process.getuid?.() !== 0)("a folder that cannot be written is found", async () => {
  const dataDir = join(folder, "read-only");
  await Bun.write(join(dataDir, "x"), "");
  await chmod(dataDir, 0o500);
  expect((await linesOf(diskCheck, { DATA_DIR: dataDir }))[0]).toContain("cannot be written (EACCES)");
});

test("all that an ffmpeg lacks is named", async () => {
  const path = join(folder, "ffmpeg");
  const script = `#!/bin/sh
case "$*" in *-version*) echo "ffmpeg version 9.9";; *-filters*) echo " T. trim V->V x"; echo " .. tonemap V->V x";;
*-encoders*) echo " V..... png x";; *) echo "";; esac\n`;
  await Bun.write(path, script);
  await chmod(path, 0o755);
  const [line] = await linesOf(ffmpegCheck, { FFMPEG_PATH: path });
  expect(line).toContain("filter zscale");
  expect(line).toContain("encoder libx264");
  expect(line).not.toContain("filter tonemap");
  expect(line).toEndWith("set FFMPEG_PATH to a fuller ffmpeg.");
  expect((await linesOf(ffmpegCheck, { FFMPEG_PATH: dirname(path) }))[0]).toContain("cannot be run");
});

test("clocks that differ are a warning, and far apart a failure", () => {
  const statuses = [0, -4_000, 6_000, -400_000].map((difference) => clockFinding("x", difference).status);
  expect(statuses).toEqual(["ok", "ok", "warning", "failure"]);
});

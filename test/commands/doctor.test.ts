import { afterAll, expect, setSystemTime, test } from "bun:test";
import { chmod, chown, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Check, clockFinding, runChecks } from "../../src/commands/checks/check.ts";
import { databaseCheck } from "../../src/commands/checks/database.ts";
import { diskCheck } from "../../src/commands/checks/disk.ts";
import { ffmpegCheck } from "../../src/commands/checks/ffmpeg.ts";
import { objectStorageCheck } from "../../src/commands/checks/object-storage.ts";
import { modelsCheck, pricesCheck, settingsCheck } from "../../src/commands/checks/settings.ts";
import { examineEnvironment } from "../../src/env.ts";
import { takeLock } from "../../src/storage/database/file-lock.ts";
import { prepareDataFolder } from "../support/database.ts";
import { temporaryFolder } from "../support/media/ffmpeg.ts";
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
  expect(await on("2026-11-01")).toEqual(["ok Providers remove no model within 60 days."]);
  expect(await on("2027-01-20")).toEqual([
    "ok Providers remove these models within 60 days: whisper-1 of OpenAI on 2027-02-26.",
  ]);
});

test("prices that nobody has read for 180 days are a warning, in one line", async () => {
  const file = join(folder, "prices.json");
  const row = (model: string, fields: object) => ({
    ...{ provider: "acme", model, category: "llm", unit: "image", price: "1", ...fields },
  });
  const read = { source: "https://example.com", asOf: "2026-01-01" };
  const own = [row("old", { ...read, asOf: "2020-02-03" }), row("new", read), row("mine", {})];
  await Bun.write(file, JSON.stringify(own));
  const on = async (day: string, variables: Variables) => {
    setSystemTime(new Date(day));
    try {
      return await linesOf(pricesCheck, variables);
    } finally {
      setSystemTime();
    }
  };
  const [line, ...others] = await on("2020-08-02", { PRICES_FILE: file });
  const fix = "Read their pages (`source` of GET /api/prices), and put what has changed into PRICES_FILE.";
  expect([line, others]).toEqual([
    `warning 1 price is older than 180 days: that of old of acme, of 2020-02-03. ${fix}`,
    [],
  ]);
  expect(await on("2020-08-01", { PRICES_FILE: file })).toEqual(["ok None is older than 180 days."]);
  // of the published ones, too
  const [later] = await on("2028-01-01", {});
  expect(later).toMatch(
    /^warning \d{3} prices are older than 180 days, the oldest that of tts-1 of openai, of 2025-08-01\. /,
  );
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

test("the embedded database of a service that does not run is opened", async () => {
  const dataDir = join(folder, "embedded");
  await prepareDataFolder(dataDir);
  const lines = await linesOf(databaseCheck, { DATA_DIR: dataDir });
  expect(lines).toEqual([
    `ok Embedded PostgreSQL in ${join(dataDir, "postgres")}.`,
    expect.stringMatching(/^ok All \d+ migrations are applied\.$/),
  ]);
  const lock = takeLock(join(dataDir, "lock"));
  expect((await linesOf(databaseCheck, { DATA_DIR: dataDir }))[0]).toStartWith(
    "ok A running service uses the embedded database",
  );
  lock?.release();
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

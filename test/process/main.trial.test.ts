import { afterAll, beforeAll, expect, test } from "bun:test";
import { stat } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { connect as connectTo } from "../../src/client.ts";
import { hasOpened, runsFfmpeg, sandboxProcessesOf, textOf } from "../support/child-processes.ts";
import { testedFfmpegs } from "../support/media/ffmpeg.ts";
import { serviceProcesses, testedFfmpeg } from "../support/processes.ts";
import { png } from "../support/uploads.ts";

let service: Awaited<ReturnType<typeof serviceProcesses>>;

beforeAll(async () => {
  service = await serviceProcesses({ isFirstStart: true });
});
afterAll(() => service.end());

/** What each process that started well has written to stderr, in their order. */
const errors: Promise<string>[] = [];

async function startNoted(...options: Parameters<typeof service.start>) {
  const started = await service.start(...options);
  errors.push(textOf(started.launched.stderr));
  return started;
}

/** Starts a process that is expected to fail: its message and exit code. */
async function failedStart(variables: Record<string, string>) {
  const { stderr, stdout, exited } = service.launch(variables);
  const [message, printed, code] = await Promise.all([textOf(stderr), textOf(stdout), exited]);
  expect(printed).toBe("");
  return { message, code };
}

test("the start message shows all locations and a working example request", async () => {
  const clock = { BUN_OPTIONS: `--preload=${join(import.meta.dir, "../support/clock.ts")}`, TEST_TIME: "2027-01-20" };
  const { launched, printed, url } = await startNoted({ ...testedFfmpeg, ...clock });

  expect(printed).toContain("ending    whisper-1 of OpenAI on 2027-02-26");
  expect(printed).toContain(`API page  ${url}/docs`);
  expect(printed).toContain("database  embedded PostgreSQL in ");
  expect(printed).toContain(`storage   files in ${service.folder}/data`);
  expect(printed).toMatch(/ffmpeg {4}\S+/);
  expect(printed).toContain(` at ${testedFfmpegs[0]!.path}, `);

  const [, command] = /try it +(.*)/.exec(printed)!;
  const response = await Bun.$`sh -c ${command}`.json();
  expect(response.user.email).toEndWith("@example.com");
  expect((await fetch(`${url}/docs`)).status).toBe(200);

  const { mode } = await stat(join(service.folder, "data/jwt-secret"));
  expect(mode & 0o777).toBe(0o600);

  // the fonts are loaded without any request for text
  const hasFonts = async () => {
    const processes = await sandboxProcessesOf(launched.pid);
    return (await Promise.all(processes.map((pid) => hasOpened(pid, "Inter_700Bold")))).includes(true);
  };
  while (!(await hasFonts())) await Bun.sleep(20);

  const second = await failedStart({});
  expect(second.code).toBe(1);
  expect(second.message).toMatch(/^Another process is using the data folder [^\n]+\n$/);

  launched.kill("SIGINT");
  expect(await launched.exited).toBe(0);
});

test("a port in use fails the start with one line", async () => {
  const other = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
  const { port } = other;
  const { message, code } = await failedStart({ PORT: `${port}` });
  await other.stop(true);

  expect(code).toBe(1);
  expect(message).toBe(`Cannot listen on 127.0.0.1:${port}: is another process there? Choose another PORT.\n`);
});

/** `-pid` names the process group: systemd and a terminal send the signal to ffmpeg too. */
test("SIGTERM to the server and its child processes rejects new connections, lets running requests finish, and exits with 0", async () => {
  // however slow the machine is
  const settings = { ...testedFfmpeg, JWT_SECRET: "b".repeat(32), STOP_SECONDS: "3600", LOG_LEVEL: "info" };
  const { launched, url, log } = await startNoted(settings, { detached: true });
  const { exporting } = await exportOn(url);
  const ended = exporting.then(() => "ended");
  while (!(await runsFfmpeg(launched.pid))) {
    if ((await Promise.race([ended, Bun.sleep(5)])) === "ended")
      throw new Error("The export finished before ffmpeg was observed.");
  }
  const { port } = new URL(url);
  const body = JSON.stringify({ email: "late@example.com", password: "a good long password", name: "Late" });
  const socket = await open(port);
  const head = `POST /api/auth/register HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
  socket.write(head + body.slice(0, 10));
  // its response proves that the server has accepted the unfinished request before it
  expect((await fetch(`${url}/api/health`)).status).toBe(200);

  process.kill(-launched.pid, "SIGTERM");
  await portClosed(port);
  socket.write(body.slice(10));
  expect(await firstLine(socket)).toBe("HTTP/1.1 201 Created");

  const video = await exporting;
  expect([video.status, video.headers.get("content-type")]).toEqual([200, "video/mp4"]);
  expect((await video.bytes()).length).toBe(Number(video.headers.get("content-length")));
  expect(await launched.exited).toBe(0);
  // the log of the last requests is written before the process ends
  const lines = (await log).split("\n");
  const logged = (path: string) => lines.filter((line) => line.includes(`"path":"${path}"`)).length;
  expect([logged("/api/export"), logged("/api/auth/register")]).toEqual([1, 2]);
});

test("a later signal ends the process at once, although a request is running", async () => {
  const { launched, url } = await startNoted();
  const { port } = new URL(url);
  const socket = await open(port);
  socket.write(
    "POST /api/auth/register HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n",
  );
  expect((await fetch(`${url}/api/health`)).status).toBe(200);

  launched.kill("SIGTERM");
  await portClosed(port);
  const ended = launched.exited.then(() => "ended");
  while ((await Promise.race([ended, Bun.sleep(50)])) !== "ended") launched.kill("SIGINT");
  expect(launched.exitCode).toBe(1);
  socket.destroy();
});

test("a start with another JWT_SECRET says so in a line, as long as another one was used lately", async () => {
  const warnings = (await Promise.all(errors)).map((printed) =>
    printed.split("\n").filter((line) => line.includes("JWT_SECRET")),
  );
  const sentence = expect.stringMatching(
    /^This database was used with another JWT_SECRET \(last start \S+\): logins .* webhooks .* Give all/,
  );
  // the first and the third one have that of the folder
  expect(warnings).toEqual([[], [sentence], [sentence]]);
});

/** A running export of one image. */
async function exportOn(url: string) {
  const login = await connectTo(url).api.auth.register.$post({
    json: { email: `${crypto.randomUUID()}@example.com`, password: "a good long password", name: "Ann" },
  });
  if (!login.ok) throw new Error((await login.json()).error);
  const { api } = connectTo(url, { token: (await login.json()).accessToken });

  const project = await api.projects.$post({ json: { name: "Film" } });
  if (!project.ok) throw new Error((await project.json()).error);
  const projectId = (await project.json()).id;
  const { works } = api.projects[":projectId"];
  const work = await works.$post({ param: { projectId }, json: {} });
  if (!work.ok) throw new Error((await work.json()).error);
  const workId = (await work.json()).id;

  const image = works[":workId"].media.scene[":sceneIndex"].image;
  await image.$post({ param: { projectId, workId, sceneIndex: "0" }, form: { file: png(64, 64) } });
  const clips = [{ sceneIndex: 0, position: 0, end: 1 }];
  const options = { width: 320, height: 320, fps: 30 };
  return { exporting: api.export.$post({ json: { projectId, workId, clips, options } }) };
}

test.each([
  [{ PORT: "many" }, /^Bad setting PORT: must be a whole number\.\n$/],
  [
    { DATABASE_URL: "postgres://u:hunter2@127.0.0.1:1/x", JWT_SECRET: "long enough for anybody who reads" },
    /^The database cannot be used \(PostgreSQL at 127\.0\.0\.1:1\/x\): [^\n]+\n$/,
  ],
])("with %j the start fails with one line", async (variables, sentence) => {
  const { message, code } = await failedStart(variables);

  expect(code).toBe(1);
  expect(message).toMatch(sentence);
  expect(message).not.toContain("hunter2");
});

test("with too few files that may be open the start fails with one line", async () => {
  const { PATH = "", HOME = "" } = process.env;
  const command = `ulimit -n 128 && exec ${process.execPath} ${join(import.meta.dir, "../../src/main.ts")}`;
  const env = { PATH, HOME, DATA_DIR: join(service.folder, "few"), PORT: "0" };
  const { stderr, exited } = Bun.spawn(["sh", "-c", command], { env, stderr: "pipe" });
  expect(await textOf(stderr)).toMatch(/^This process may open only 128 files and connections\. Allow 1024 [^\n]+\n$/);
  expect(await exited).toBe(1);
});

const open = (port: string) =>
  new Promise<Socket>((resolve, reject) => {
    const socket = connect(Number(port), "127.0.0.1", () => resolve(socket));
    socket.once("error", reject);
  });

/** Resolves once the port rejects connections. */
async function portClosed(port: string): Promise<void> {
  for (;;) {
    const socket = await open(port).catch(() => undefined);
    if (!socket) return;
    socket.destroy();
  }
}

async function firstLine(socket: Socket): Promise<string> {
  for await (const chunk of socket) return String(chunk).split("\r\n")[0]!;
  throw new Error("The connection was closed without a response.");
}

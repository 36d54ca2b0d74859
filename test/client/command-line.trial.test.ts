import { afterAll, beforeEach, expect, test } from "bun:test";
import { rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { DomainError } from "../../src/errors.ts";
import { textOf } from "../support/child-processes.ts";
import { builtCommandLine } from "../support/client-package.ts";
import { controlledRenderer } from "../support/media/controlled-renderer.ts";
import { temporaryFolder } from "../support/media/ffmpeg.ts";
import { password, testService } from "../support/service.ts";
import { listen, mp4 } from "../support/uploads.ts";
import { newFilm } from "../support/work-videos.ts";

const { renderer, next: nextRendering, reset } = controlledRenderer();
const service = await testService({}, undefined, (services) => ({ renderer: renderer(services) }));
const server = listen(service);
const folder = await temporaryFolder();
const bin = await builtCommandLine(folder);
const ann = await service.register("Ann");
const { request } = await newFilm(ann, folder);
const requestPath = join(folder, "request.json");
await Bun.write(requestPath, JSON.stringify(request));
afterAll(async () => {
  await server.stop();
  await service.close();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(reset);

type Variables = Record<string, string>;

const inConfig = (name: string): Variables => ({ XDG_CONFIG_HOME: join(folder, name), REELWRIGHT_URL: server.url });
const asAnn: Variables = { ...inConfig("none"), REELWRIGHT_TOKEN: ann.accessToken };

const spawn = (args: readonly string[], env: Variables, stdin = "") =>
  Bun.spawn(["node", bin, ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? "", HOME: folder, ...env },
    stdin: new Blob([stdin]),
    stdout: "pipe",
    stderr: "pipe",
  });

const ended = async (child: ReturnType<typeof spawn>) => {
  const [output, errors, exitCode] = await Promise.all([textOf(child.stdout), textOf(child.stderr), child.exited]);
  return { output, errors, exitCode };
};

const reelwright = (args: readonly string[], env = asAnn, stdin?: string) => ended(spawn(args, env, stdin));

test("a login is stored for its owner alone, used by later commands, and forgotten at logout", async () => {
  const env = inConfig("login");
  const stored = join(folder, "login/reelwright/credentials.json");
  const login = ["login", "--email", "new@example.com", "--password-stdin", "--register", "New"];

  expect(await reelwright(login, env, `${password}\n`)).toMatchObject({ exitCode: 0, errors: "" });
  expect((await stat(stored)).mode & 0o777).toBe(0o600);
  // without the variable, the service of the last login
  const later = { XDG_CONFIG_HOME: env.XDG_CONFIG_HOME! };
  expect(await reelwright(["projects", "create", "Launch"], later)).toMatchObject({ exitCode: 0 });
  const { output } = await reelwright(["projects", "--json"], later);
  expect(JSON.parse(output)).toMatchObject([{ name: "Launch" }]);
  expect((await reelwright(["logout"], later)).exitCode).toBe(0);
  expect(await reelwright(["projects"], later)).toMatchObject({ exitCode: 3, output: "" });
});

test("an expired access token is refreshed, and the new tokens are stored", async () => {
  const env = inConfig("expired");
  const path = join(folder, "expired/reelwright/credentials.json");
  const { refreshToken } = await service.register("Ben");
  const tokens = { accessToken: "no.longer.valid", refreshToken };
  await Bun.write(path, JSON.stringify({ logins: { [server.url]: { tokens } } }));

  expect(await reelwright(["projects", "--json"], env)).toMatchObject({ exitCode: 0, output: "[]\n" });

  const stored = (await Bun.file(path).json()).logins[server.url].tokens;
  expect(stored.refreshToken).not.toBe(refreshToken);
  expect(stored.accessToken).not.toBe(tokens.accessToken);
});

test("files are uploaded, and their assets printed", async () => {
  await Bun.write(join(folder, "clip.mp4"), await mp4());

  const args = ["upload", "clip.mp4", "--project", request.projectId, "--tag", "b-roll", "--json"];
  const { output, exitCode } = await reelwright(args);

  expect(exitCode).toBe(0);
  expect(JSON.parse(output)).toMatchObject([{ name: "clip.mp4", tags: ["b-roll"], type: "video" }]);
});

test("a film is made by commands alone, and a path that is not there is named", async () => {
  const printed = async (...args: string[]) => (await reelwright(args)).output.trim();
  const projectId = await printed("projects", "create", "Alone");
  const workId = await printed("works", "create", "First", "--project", projectId);
  await printed("upload", "clip.mp4", "--project", projectId, "--work", workId, "--slot", "scene/0/video");
  const clips = [{ sceneIndex: 0, position: 0, end: 0.4 }];
  await Bun.write(join(folder, "alone.json"), JSON.stringify({ projectId, workId, clips }));
  const rendering = nextRendering();
  const id = await printed("export", "alone.json", "--detach");
  await (await rendering).finish();

  expect(await printed("projects", "list")).toContain(`${projectId}  `);
  expect(await printed("works", "list", "--project", projectId)).toMatch(new RegExp(`^ID .*\n${workId}  .*  First$`));
  expect(await printed("assets", "list", "--project", projectId)).toContain("There are none");
  expect(JSON.parse(await printed("exports", "list", "--json"))).toMatchObject([{ id, workId }]);
  expect(await reelwright(["upload", "nofile.png", "--project", projectId])).toMatchObject({
    exitCode: 1,
    errors: "reelwright: nofile.png: there is no such file or folder.\n",
  });
});

test("an export is rendered, downloaded and named", async () => {
  const rendering = nextRendering();
  const exporting = reelwright(["export", "request.json", "-o", "film.mp4", "--json"]);
  await (await rendering).finish();

  const { output, exitCode } = await exporting;

  expect(exitCode).toBe(0);
  expect(JSON.parse(output)).toMatchObject({ status: "done", paths: ["film.mp4"] });
  expect(await Bun.file(join(folder, "film.mp4")).text()).toBe("0123456789");
});

test("an export whose start got no answer is started once", async () => {
  const isStart = ({ method, url }: Request) => method === "POST" && url.endsWith("/api/exports");
  let lost = 0;
  const proxy = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const response = await service.app.fetch(request);
      if (!isStart(request) || lost > 0) return response;
      lost += 1;
      return new Response("Bad Gateway", { status: 502 });
    },
  });
  const eve = await service.register("Eve");
  const own = (await newFilm(eve, folder)).request;
  const rendering = nextRendering();
  const args = ["export", "-", "-o", "once.mp4", "--url", proxy.url.origin];
  const exporting = reelwright(args, { ...asAnn, REELWRIGHT_TOKEN: eve.accessToken }, JSON.stringify(own));
  await (await rendering).finish();

  expect([(await exporting).exitCode, lost]).toEqual([0, 1]);
  expect(await (await eve.request("/api/exports")).json()).toMatchObject({ count: 1 });
  await proxy.stop(true);
});

test("each aspect ratio becomes a file of its own", async () => {
  const rendering = nextRendering();
  const options = { ...request.options, targets: ["9:16", "1:1"] };
  const exporting = reelwright(["export", "-", "-o", "two.mp4"], asAnn, JSON.stringify({ ...request, options }));
  await (await rendering).finish();

  expect((await exporting).exitCode).toBe(0);
  expect(await Bun.file(join(folder, "two-9x16.mp4")).text()).toBe("0123456789");
  expect(await Bun.file(join(folder, "two-1x1.mp4")).text()).toBe("0123456789");
});

test("an export that fails has its exit code, and its reason on stderr", async () => {
  const rendering = nextRendering();
  const exporting = reelwright(["export", "request.json", "--json"]);
  (await rendering).fail(new DomainError("font_unusable", { path: "texts.0", what: "The font" }));

  const { output, errors, exitCode } = await exporting;

  expect({ output, exitCode }).toEqual({ output: "", exitCode: 5 });
  expect(JSON.parse(errors)).toMatchObject({ code: "font_unusable", export: { status: "error" } });
});

test("Ctrl-C during an export cancels it", async () => {
  const rendering = nextRendering();
  const child = spawn(["export", "request.json", "-o", "never.mp4"], asAnn);
  const { signal } = await rendering;
  const stopped = new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));

  child.kill("SIGINT");

  expect(await ended(child)).toMatchObject({ exitCode: 130, errors: expect.stringContaining("Interrupted.") });
  await stopped;
  expect(await Bun.file(join(folder, "never.mp4")).exists()).toBe(false);
});

test("Ctrl-C while watching leaves the export running", async () => {
  const rendering = nextRendering();
  const { output: id } = await reelwright(["export", "request.json", "--detach"]);
  const { finish } = await rendering;
  const child = spawn(["watch", id.trim(), "--json"], asAnn);
  // the first state
  await child.stdout.getReader().read();

  child.kill("SIGINT");

  expect(await child.exited).toBe(130);
  await finish();
  const { output, exitCode } = await reelwright(["watch", id.trim(), "--json"]);
  expect(exitCode).toBe(0);
  expect(JSON.parse(output.trim().split("\n").at(-1)!)).toMatchObject({ status: "done" });
});

test("a frame is written as PNG", async () => {
  expect((await reelwright(["frame", "request.json", "--at", "0.5", "-o", "frame.png"])).exitCode).toBe(0);
  const start = (await Bun.file(join(folder, "frame.png")).bytes()).subarray(1, 4);
  expect(new TextDecoder().decode(start)).toBe("PNG");
});

test("a request is validated without an export", async () => {
  const good = await reelwright(["validate", "request.json"]);
  expect(good).toMatchObject({ exitCode: 0, errors: "The export would have 30 frames, 1 s.\n" });

  const bad = JSON.stringify({ ...request, clips: [{ sceneIndex: 7, position: 0, end: 1 }] });
  const refused = await reelwright(["validate", "-"], asAnn, bad);
  expect(refused.exitCode).toBe(4);
  expect(refused.output).toStartWith("error clips.0");
});

test("wrong calls, unreachable services and refused tokens have exit codes of their own", async () => {
  const refused = { ...asAnn, REELWRIGHT_TOKEN: "wrong" };
  const stopped = listen(service);
  await stopped.stop();
  const unreachable = { ...asAnn, REELWRIGHT_URL: stopped.url };

  expect((await reelwright(["uplaod"])).exitCode).toBe(2);
  expect(await reelwright(["projects", "--json"], refused)).toMatchObject({
    exitCode: 3,
    output: "",
    errors: expect.stringContaining('"code":"invalid_token"'),
  });
  expect(await reelwright(["projects"], unreachable)).toMatchObject({
    exitCode: 6,
    errors: "reelwright: The service cannot be reached (ECONNREFUSED).\n",
  });
});

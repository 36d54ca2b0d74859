import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { textOf } from "../support/child-processes.ts";
import { prepareDataFolder } from "../support/database.ts";
import { serviceProcesses } from "../support/processes.ts";
import { registerOn } from "../support/service.ts";
import { png } from "../support/uploads.ts";
import { newWork } from "../support/work-videos.ts";

let service: Awaited<ReturnType<typeof serviceProcesses>>;

beforeAll(async () => {
  service = await serviceProcesses();
  await prepareDataFolder(join(service.folder, "other"));
});
afterAll(() => service.end());

/** Runs a command on a data folder, by default the service's. */
async function run(command: string, args: readonly string[], { data = "data", input = "" } = {}) {
  const program = join(import.meta.dir, `../../src/commands/${command}.ts`);
  const { PATH = "", HOME = "" } = process.env;
  const { stdout, stderr, exited } = Bun.spawn(["bun", program, ...args], {
    cwd: service.folder,
    env: { PATH, HOME, DATA_DIR: join(service.folder, data) },
    stdin: input ? Bun.file(join(service.folder, input)) : "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [output, message, code] = await Promise.all([new Response(stdout).bytes(), textOf(stderr), exited]);
  return { output, message, code };
}

test("an account moves from one data folder to another with the commands", async () => {
  const { launched, url } = await service.start();
  const ann = await registerOn((path, init) => fetch(url + path, init), "Ann");
  const work = await newWork(ann, { name: "Film" });
  await work.asset(png());

  const locked = await run("export-data", []);
  expect(locked).toMatchObject({ code: 1, message: expect.stringMatching(/^Another process is using [^\n]+\n$/) });
  launched.kill("SIGTERM");
  await launched.exited;

  const exported = await run("export-data", ["--user", ann.user.email.toUpperCase(), "-o", "ann.tar"]);
  expect(exported).toMatchObject({ code: 0, message: expect.stringMatching(/^Exported 4 rows and 2 files [^\n]+\n$/) });
  expect(existsSync(join(service.folder, "ann.tar.partial"))).toBe(false);
  const piped = await run("export-data", ["--project", work.projectId]);
  await Bun.write(join(service.folder, "project.tar"), piped.output);
  expect((await Bun.$`tar tf ${join(service.folder, "project.tar")}`.text()).trim().split("\n")).toHaveLength(6);

  const noOwner = await run("import-data", ["project.tar"], { data: "other" });
  expect(noOwner).toMatchObject({ code: 1, message: expect.stringContaining("who has no account here") });
  const imported = await run("import-data", [], { data: "other", input: "ann.tar" });
  expect(imported.message).toStartWith("Imported 4 rows and 2 files (0 rows and 0 files were there) into ");
  expect(imported.message).toContain("JWT_SECRET differs");
  expect(imported.code).toBe(0);
});

test.each([
  ["export-data", ["--user", "nobody@example.com"], "There is no user nobody@example.com.\n"],
  ["export-data", ["--everything"], "Usage: export-data "],
  ["import-data", ["ann.tar", "--as", "ann@example.com"], "--as is for an archive of one project"],
])("%s %p fails with one line", async (command, args, message) => {
  const failed = await run(command, args, { data: "other" });
  expect(failed.message).toContain(message);
  expect(failed.message.trim().split("\n")).toHaveLength(1);
  expect(failed.code).toBe(1);
});

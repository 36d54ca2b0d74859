import { afterAll, beforeAll, expect, test } from "bun:test";
import { copyFile, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { temporaryFolder } from "../../support/media/ffmpeg.ts";
import { openapiTypes } from "../../support/openapi-types.ts";
import { sharedService } from "../../support/service.ts";
import { listen, mp4 } from "../../support/uploads.ts";

const service = await sharedService();
const server = listen(service);
const folder = await temporaryFolder();
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

const root = join(import.meta.dir, "../../..");

const run = async (...command: readonly string[]) => {
  const child = Bun.spawn([process.execPath, ...command], { cwd: folder, stdout: "pipe", stderr: "inherit" });
  const output = await new Response(child.stdout).text();
  return { exitCode: await child.exited, output };
};

const compilerOptions = {
  strict: true,
  noEmit: true,
  target: "esnext",
  module: "preserve",
  types: ["bun"],
  skipLibCheck: true,
  allowImportingTsExtensions: true,
};

/** A folder as a user of the API has it. */
beforeAll(async () => {
  const document = await (await fetch(`${server.url}/api/openapi.json`)).json();
  await Bun.write(join(folder, "schema.d.ts"), await openapiTypes(document, folder));
  await copyFile(join(import.meta.dir, "generated-client/make-video.ts"), join(folder, "make-video.ts"));
  await symlink(join(root, "node_modules"), join(folder, "node_modules"));
  await Bun.write(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["make-video.ts"] }));
});

test("a program with a generated client has no type errors", async () => {
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  expect(await run(compiler, "--project", folder)).toEqual({ exitCode: 0, output: "" });
});

test("it uploads, exports, waits and downloads", async () => {
  const { accessToken } = await service.register();
  await Bun.write(join(folder, "clip.mp4"), await mp4());

  const { exitCode, output } = await run("make-video.ts", server.url, accessToken, "clip.mp4", "film.mp4");
  expect(exitCode).toBe(0);
  expect(JSON.parse(output)).toEqual({
    asset: "video",
    width: expect.any(Number),
    uploaded: true,
    status: "done",
    progress: 1,
    lastEvent: "event: done",
    missing: "Not found",
    field: "name",
  });
  const film = await Bun.file(join(folder, "film.mp4")).bytes();
  expect(Buffer.from(film.subarray(4, 8)).toString()).toBe("ftyp");
});

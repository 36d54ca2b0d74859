import { afterAll, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { dependencies, devDependencies, version } from "../../package.json";
import { compilers, installClient, run, typeCheck } from "../support/client-package.ts";
import { temporaryFolder } from "../support/media/ffmpeg.ts";
import { testService } from "../support/service.ts";
import { listen, mp4 } from "../support/uploads.ts";

const service = await testService();
const server = listen(service);
const folder = await temporaryFolder();
afterAll(async () => {
  await server.stop();
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

const tarball = await installClient(folder);
await Bun.write(join(folder, "clip.mp4"), await mp4());

test("the package holds the library, its types, the command line and the licences, and depends on hono alone", async () => {
  const packed = await run(["tar", "-tzf", tarball], folder);
  const files = ["LICENSE", "README.md", "dist/cli.js", "dist/index.d.ts", "dist/index.js", "package.json"];
  const all = [...files, "dist/third-party-licenses.txt"].map((file) => `package/${file}`);
  expect(packed.trim().split("\n").sort()).toEqual(all.sort());

  const manifest = await Bun.file(join(folder, "node_modules/reelwright/package.json")).json();
  expect(manifest).toMatchObject({ version, dependencies: { hono: `^${dependencies.hono}` } });
  expect(Object.keys(manifest.dependencies)).toEqual(["hono"]);
});

test("the licence of each bundled package is in the package", async () => {
  const versions = { ...devDependencies, ...dependencies };
  const texts = await Bun.file(join(folder, "node_modules/reelwright/dist/third-party-licenses.txt")).text();
  for (const name of ["@clack/prompts", "cli-progress", "commander", "eventsource-parser"] as const) {
    expect(texts).toContain(`${name} ${versions[name]} (MIT)`);
  }
});

test("the declarations are one file, and small", async () => {
  const path = "node_modules/reelwright/dist/index.d.ts";
  const declarations = await Bun.file(join(folder, path)).text();
  expect(declarations.length).toBeLessThan(650_000);
  expect([...declarations.matchAll(/(?:from |import\()"([^"]+)"/g)].every(([, name]) => name!.startsWith("hono"))).toBe(
    true,
  );
});

// consumer/types.ts holds, beside what must compile, what must not: @ts-expect-error fails where there is no error
test.each(compilers)("a strict project compiles with %s, and the declarations with the newest", async (compiler) => {
  const isNewest = compiler === compilers[0];
  await run([...typeCheck(compiler), ...(isNewest ? ["--skipLibCheck", "false"] : [])], folder);
});

test("the package makes a video in Node, from a registration to a downloaded file", async () => {
  const output = await run(["node", "run-in-node.js", server.url], folder);
  const { steps, errors, bytes } = JSON.parse(output);
  expect(steps).toMatchObject({ uploaded: true, exported: "done" });
  expect(errors).toEqual(["validation_error", "not_found"]);
  expect(bytes).toBe(Bun.file(join(folder, "film.mp4")).size);
});

test("the installed command line runs", async () => {
  expect(await run(["node_modules/.bin/reelwright", "--version"], folder)).toBe(`${version}\n`);
});

import { afterAll, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Glob } from "bun";
import { dependencies, devDependencies, scripts } from "../package.json";
import { ffmpegInspector } from "../src/engine/inspect/inspect.ts";
import { settings } from "../src/env.ts";
import { foundFfmpeg, temporaryFolder } from "./support/media/ffmpeg.ts";
import { sharedService } from "./support/service.ts";
import { listen, mp4 } from "./support/uploads.ts";

const root = join(import.meta.dir, "..");
const read = (path: string) => Bun.file(join(root, path)).text();
const readme = await read("README.md");

const paths = ["README.md", "client/README.md", ...(await Array.fromAsync(new Glob("docs/**/*.md").scan(root)))];
const pages = await Promise.all(paths.map(async (path) => ({ path, text: await read(path) })));

const missing = (named: readonly string[]) => named.filter((path) => !existsSync(join(root, path)));

test("every path of the code that a page names exists", () => {
  const named = pages.flatMap(({ text }) =>
    [...text.matchAll(/`((?:src|test|scripts|drizzle|docs)\/[\w./-]*)`/g)].map(([, path]) => path!),
  );
  expect(named.length).toBeGreaterThan(100);
  expect(missing(named)).toEqual([]);
});

const linksOf = ({ path, text }: (typeof pages)[number]) =>
  [...text.matchAll(/(?:\]\(|src=")([\w./-]+)(?:#[\w-]+)?[)"]/g)].map(([, link]) => join(dirname(path), link!));

test("every page and picture that a page links exists", () => {
  const linked = pages.flatMap(linksOf);
  expect(linked.length).toBeGreaterThan(100);
  expect(missing(linked)).toEqual([]);
});

test("every page is reached from the README", () => {
  const reached = new Set(["README.md"]);
  // a set grows while it is read
  for (const path of reached) {
    const page = pages.find((candidate) => candidate.path === path);
    for (const link of page ? linksOf(page) : []) reached.add(link);
  }
  expect(paths.filter((path) => !reached.has(path))).toEqual([]);
});

test("every file in a diagram of an export exists", () => {
  const inDiagrams = pages.flatMap(({ text }) =>
    [...text.matchAll(/^ {3}[│▼ ]+((?:domain|engine)\/[\w/-]+\.ts)/gm)].map(([, path]) => path!),
  );
  expect(inDiagrams.length).toBeGreaterThan(7);
  expect(missing(inDiagrams.map((path) => join("src", path)))).toEqual([]);
});

test("the architecture names exactly the folders of src", async () => {
  const [, tree = ""] = (await read("docs/architecture.md")).split("```");
  const named = [...tree.matchAll(/^ {2}(\w+)\/ /gm)].map(([, folder]) => folder!);
  const entries = await readdir(join(root, "src"), { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  expect(named.sort()).toEqual(folders.sort());
});

test("the README is short", () => {
  const lines = readme.trimEnd().split("\n");
  expect(lines.length).toBeLessThanOrEqual(120);
  expect(lines.filter((line) => [...line].length > 160)).toEqual([]);
});

test("every script is explained", async () => {
  const explained = await read("docs/scripts.md");
  expect(Object.keys(scripts).filter((name) => !explained.includes(`\`${name}\``))).toEqual([]);
});

const firstCells = (page: string) => [...page.matchAll(/^\| (`[^|]+`) \|/gm)].map(([, cell]) => cell!);

test("the table of settings has exactly those that exist", async () => {
  const names = firstCells(await read("docs/settings.md")).flatMap((cell) => cell.match(/[A-Z0-9_]+/g) ?? []);
  expect(names.sort()).toEqual(Object.keys(settings).sort());
});

test("the table of packages has exactly the dependencies", async () => {
  const named = firstCells(await read("docs/decisions/packages.md")).flatMap((cell) => cell.match(/[^`, ]+/g) ?? []);
  const packages = Object.keys({ ...dependencies, ...devDependencies });
  const reasons = packages.map((name) => name.replace(/^(@expo-google-fonts)\/.*/, "$1"));
  expect(named.sort()).toEqual([...new Set(reasons)].sort());
});

test("the page of the tables names exactly those of the database, each once", async () => {
  const named = firstCells(await read("docs/data.md")).map((cell) => cell.replaceAll("`", ""));
  const tables = await Array.fromAsync(new Glob("src/storage/tables/*.ts").scan(root), read);
  const declared = tables.flatMap((code) => [...code.matchAll(/pgTable\(\s*"(\w+)"/g)].map(([, name]) => name!));
  expect(named.sort()).toEqual(declared.sort());
});

const service = await sharedService();
const server = listen(service);
const folder = await temporaryFolder();
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

const curl = Bun.which("curl");

test.skipIf(!curl)("the README's ten lines make a film", async () => {
  await Bun.write(join(folder, "clip.mp4"), await mp4());
  const lines = readme
    .split("```sh\n")
    .find((block) => block.startsWith("api="))!
    .split("```")[0]!;
  // small, so that it takes no time
  const small = lines.replace('\\"texts\\":', '\\"options\\":{\\"width\\":36,\\"height\\":64},\\"texts\\":');
  const script = small.replace("http://127.0.0.1:3000", server.url);
  const shell = Bun.spawn(["sh", "-euc", script], { cwd: folder, stderr: "inherit" });

  expect(await new Response(shell.stdout).text()).toMatch(/^\{"ok":true,"url":"[^"]+"\}$/);
  expect(await shell.exited).toBe(0);

  const inspector = ffmpegInspector({ ffmpeg: await foundFfmpeg(), makeFolder: temporaryFolder });
  const film = await inspector.inspect(join(folder, "film.mp4"), { owner: "ann" });
  expect(film).toMatchObject({ kind: "video", width: 36, height: 64 });
});

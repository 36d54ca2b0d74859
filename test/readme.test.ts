import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { Glob } from "bun";
import { dependencies, devDependencies, scripts } from "../package.json";
import { settings } from "../src/env.ts";
import { ffmpegInspector } from "../src/media/inspect/inspect.ts";
import { foundFfmpeg, temporaryFolder } from "./helpers/media/ffmpeg.ts";
import { testService } from "./helpers/service.ts";
import { listen, mp4 } from "./helpers/uploads.ts";

const root = join(import.meta.dir, "..");
const readme = await Bun.file(join(root, "README.md")).text();

const docs = await Promise.all(
  (await Array.fromAsync(new Glob("docs/*.md").scan(root))).map((page) => Bun.file(join(root, page)).text()),
);
const texts = [readme, ...docs].join("\n");

const missing = (paths: readonly string[]) => paths.filter((path) => !existsSync(join(root, path)));

test("every path that the README and its pages name exists", () => {
  const named = [...texts.matchAll(/`((?:src|test|scripts|drizzle)\/[\w./-]*)`/g)].map(([, path]) => path!);
  expect(named.length).toBeGreaterThan(10);
  expect(missing(named)).toEqual([]);
});

test("every page and image that the README links exists", () => {
  const linked = [...readme.matchAll(/(?:\]\(|src=")(docs\/[\w./-]+)/g)].map(([, path]) => path!);
  expect(linked.length).toBeGreaterThan(docs.length);
  expect(missing(linked)).toEqual([]);
});

test("every file in the README's diagram exists", () => {
  const inDiagram = [...readme.matchAll(/^ {3}[│▼ ]+((?:domain|media|timeline|compiler)\/[\w/-]+\.ts)/gm)].map(
    ([, path]) => path!,
  );
  expect(inDiagram.length).toBeGreaterThan(3);
  expect(missing(inDiagram.map((path) => join("src", path)))).toEqual([]);
});

const section = (title: string) => readme.split(`\n## ${title}\n`)[1]?.split("\n## ")[0] ?? "";

test("every script is explained", () => {
  const explained = section("Scripts");
  expect(Object.keys(scripts).filter((name) => !explained.includes(`\`${name}\``))).toEqual([]);
});

test("the README explains exactly the settings that exist", () => {
  const rows = [...section("Settings").matchAll(/^\| (`[A-Z0-9_`, ]+`) \|/gm)];
  const names = rows.flatMap(([, cell]) => cell!.match(/[A-Z0-9_]+/g) ?? []);
  expect(names.sort()).toEqual(Object.keys(settings).sort());
});

test("the decisions name exactly the dependencies", () => {
  const named = [...section("Decisions").matchAll(/`(@?[a-z][a-z0-9.-]*(?:\/[a-z0-9.-]+)?)`/g)].map(
    ([, name]) => name!,
  );
  const packages = Object.keys({ ...dependencies, ...devDependencies });
  const reasons = packages.map((name) => name.replace(/^(@expo-google-fonts)\/.*/, "$1"));
  expect([...new Set(named)].sort()).toEqual([...new Set(reasons)].sort());
});

test("the API in ten lines makes a video", async () => {
  const service = await testService();
  const folder = await temporaryFolder();
  const server = listen(service);
  try {
    await Bun.write(join(folder, "clip.mp4"), await mp4());
    await Bun.write(join(folder, "sample.ts"), sampleFor(server.url));
    const sample = Bun.spawn([process.execPath, "sample.ts"], { cwd: folder, stderr: "inherit" });
    expect(await sample.exited).toBe(0);
    expect((await inspectVideo(join(folder, "film.mp4"))).durationSeconds).toBeCloseTo(2, 1);
  } finally {
    await server.stop();
    await service.close();
    await rm(folder, { recursive: true, force: true });
  }
});

/** The README's sample, after definitions of the names that it uses. */
function sampleFor(url: string): string {
  const lines = readme.match(/```ts\n([\s\S]*?)```/)?.[1] ?? "";
  const given = [
    `const email = "reader@example.com";`,
    `const password = "a good long password";`,
    `const file = new File([await Bun.file("clip.mp4").bytes()], "clip.mp4");`,
  ];
  const placed = lines
    .replaceAll("http://127.0.0.1:3000", url)
    .replace('"reelwright"', JSON.stringify(join(root, "src/client.ts")))
    .replace('"hono/client"', JSON.stringify(import.meta.resolve("hono/client")));
  return [...given, placed].join("\n");
}

const inspectVideo = async (path: string) =>
  ffmpegInspector({ ffmpeg: await foundFfmpeg(), makeFolder: temporaryFolder }).inspect(path, {
    owner: "ann",
  });

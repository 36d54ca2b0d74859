import { expect, test } from "bun:test";
import { Glob } from "bun";

/** The architecture of src: which folder may import which. errors.ts is for all; files beside the folders tie them. */
const mayImport: Record<string, readonly string[]> = {
  platform: [],
  timeline: [],
  compiler: ["timeline"],
  domain: ["platform", "timeline"],
  http: ["domain", "platform", "timeline"],
  storage: ["domain", "platform", "timeline"],
  media: ["domain", "compiler", "platform", "timeline"],
  ai: ["domain", "platform", "timeline"],
};

const src = `${import.meta.dir}/../src`;

test("every folder of src has its rule", async () => {
  const files = await Array.fromAsync(new Glob("*/**/*.ts").scan(src));
  const folders = new Set(files.map((file) => file.split("/")[0]));
  expect([...folders].sort()).toEqual(Object.keys(mayImport).sort());
});

async function importsOf(folder: string) {
  const found: { file: string; target: string }[] = [];
  for await (const file of new Glob(`${folder}/**/*.ts`).scan(src)) {
    const code = await Bun.file(`${src}/${file}`).text();
    for (const [, path] of code.matchAll(/(?:from|import\()\s*"(\.[^"]+)"/g)) {
      found.push({ file, target: new URL(path!, `file:///${file}`).pathname.slice(1).split("/")[0]! });
    }
  }
  return found;
}

test.each(Object.entries(mayImport))("src/%s keeps to its imports", async (folder, allowed) => {
  const strays = (await importsOf(folder)).filter(({ target }) => ![folder, "errors.ts", ...allowed].includes(target));
  expect(strays).toEqual([]);
});

async function filesWith(pattern: RegExp, allowed: readonly string[]) {
  const strays: string[] = [];
  for await (const file of new Glob("**/*.ts").scan(src)) {
    if (!allowed.includes(file) && pattern.test(await Bun.file(`${src}/${file}`).text())) strays.push(file);
  }
  return strays;
}

test("only env.ts reads the environment", async () => {
  expect(await filesWith(/process\.env|Bun\.env/, ["env.ts"])).toEqual([]);
});

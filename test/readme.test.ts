import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { scripts } from "../package.json";
import { settings } from "../src/env.ts";

const root = join(import.meta.dir, "..");
const readme = await Bun.file(join(root, "README.md")).text();

const named = [...readme.matchAll(/`((?:src|test|scripts|drizzle)\/[\w./-]*)`/g)].map(([, path]) => path!);

test("every path that the README names exists", () => {
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

test("every file in the README's picture exists", () => {
  const pictured = [...readme.matchAll(/^ {3}[│▼ ]+((?:domain|media|timeline|compiler)\/[\w-]+\.ts)/gm)].map(
    ([, path]) => path!,
  );
  expect(pictured.length).toBeGreaterThan(3);
  expect(pictured.filter((path) => !existsSync(join(root, "src", path)))).toEqual([]);
});

test("every script is told", () => {
  const told = readme.match(/## Scripts([\s\S]*?)\n## /)?.[1] ?? "";
  expect(Object.keys(scripts).filter((name) => !told.includes(`\`${name}\``))).toEqual([]);
});

test("every setting that the README explains is one", () => {
  const told = readme.match(/## Settings([\s\S]*?)\n## /)?.[1] ?? "";
  const names = [...told.matchAll(/^\| (`[A-Z_`, ]+`) \|/gm)].flatMap(([, cell]) => cell!.match(/[A-Z_]+/g) ?? []);
  expect(names.length).toBeGreaterThan(10);
  expect(names.filter((name) => !Object.hasOwn(settings, name))).toEqual([]);
});

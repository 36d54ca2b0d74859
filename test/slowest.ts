import { readFile } from "node:fs/promises";

/** Prints the ten files and the ten tests of a JUnit report that took the longest. Usage: bun test/slowest.ts report.xml */
const [path = ""] = process.argv.slice(2);
const count = 10;

const entities: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };
const plain = (text: string) =>
  text.replace(/&(?:(amp|lt|gt|quot|apos)|#(\d+)|#x([\da-f]+));/gi, (_, name, decimal, hex) =>
    name ? entities[name]! : String.fromCodePoint(decimal ? Number(decimal) : Number.parseInt(hex, 16)),
  );

const attribute = (tag: string, name: string) => plain(new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1] ?? "");

const tests = [...(await readFile(path, "utf8")).matchAll(/<testcase [^>]*>/g)].map(([tag]) => ({
  file: attribute(tag, "file"),
  name: `${attribute(tag, "file")}: ${attribute(tag, "name")}`,
  seconds: Number(attribute(tag, "time")),
}));
const files = Map.groupBy(tests, ({ file }) => file);
const fileTimes = [...files].map(([file, own]) => ({
  name: `${file} (${own.length} tests)`,
  seconds: own.reduce((sum, { seconds }) => sum + seconds, 0),
}));

type Timed = { readonly name: string; readonly seconds: number };
const linesOf = (all: readonly Timed[]) =>
  all
    .toSorted((a, b) => b.seconds - a.seconds)
    .slice(0, count)
    .map(({ name, seconds }) => `${seconds.toFixed(1).padStart(6)} s  ${name}\n`)
    .join("");

const output = `The slowest of ${files.size} files:\n${linesOf(fileTimes)}The slowest of ${tests.length} tests:\n${linesOf(tests)}`;
await Bun.write(Bun.stdout, output);

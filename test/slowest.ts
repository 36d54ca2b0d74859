import { readFile } from "node:fs/promises";

/** Prints the twenty tests of a JUnit report that took the longest. Usage: bun test/slowest.ts report.xml */
const [path = ""] = process.argv.slice(2);
const count = 20;

const entities: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };
const plain = (text: string) =>
  text.replace(/&(?:(amp|lt|gt|quot|apos)|#(\d+)|#x([\da-f]+));/gi, (_, name, decimal, hex) =>
    name ? entities[name]! : String.fromCodePoint(decimal ? Number(decimal) : Number.parseInt(hex, 16)),
  );

const attribute = (tag: string, name: string) => plain(new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1] ?? "");

const tests = [...(await readFile(path, "utf8")).matchAll(/<testcase [^>]*>/g)].map(([tag]) => ({
  seconds: Number(attribute(tag, "time")),
  name: `${attribute(tag, "file")}: ${attribute(tag, "name")}`,
}));
const slowest = tests.toSorted((a, b) => b.seconds - a.seconds).slice(0, count);
const lines = slowest.map(({ seconds, name }) => `${seconds.toFixed(1).padStart(6)} s  ${name}\n`);
await Bun.write(Bun.stdout, `The slowest of ${tests.length} tests:\n${lines.join("")}`);

import { expect, test } from "bun:test";
import { buildStudio } from "../../studio/build.ts";
import { sharedService } from "../support/service.ts";

const service = await sharedService();

test("every address below /studio is the page, which has no script of its own and nothing from elsewhere", async () => {
  for (const path of ["/studio", "/studio/", "/studio/projects/proj_x/films/film_x"]) {
    const response = await service.request(path);
    const html = await response.text();
    expect([path, response.status, response.headers.get("content-type")]).toEqual([
      path,
      200,
      "text/html; charset=utf-8",
    ]);
    const policy = response.headers.get("content-security-policy");
    expect(policy).toStartWith(
      "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; connect-src 'self';",
    );
    expect(policy).not.toContain("unsafe");
    expect(html).not.toMatch(/https?:|"\/\/|\sstyle=|\son\w+=|<script(?![^>]*src=)|\{\{/);
    for (const [, name] of html.matchAll(/(?:src|href|data-\w+)="(\/[^"]*)"/g)) {
      expect([name, (await service.request(name!)).status]).toEqual([name, 200]);
    }
  }
});

test("its files may be kept for ever, and others are not there", async () => {
  const [, name = ""] = /src="(\/studio\/files\/main-[0-9a-f]{12}\.js)"/.exec(
    await (await service.request("/studio")).text(),
  )!;
  const file = await service.request(name);
  expect(file.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
  expect((await service.request("/studio/files/main-0.js")).status).toBe(404);
});

test("the page is at most 60 KB before the editor opens and 110 KB in all, and each language 12 KB, compressed", async () => {
  const { files } = await buildStudio();
  const sizes = (ending: string) =>
    files.filter(({ name }) => name.endsWith(ending)).map(({ bytes }) => Bun.gzipSync(bytes).length);
  const sum = (all: readonly number[]) => all.reduce((whole, size) => whole + size, 0);
  expect(sum(sizes(".js"))).toBeLessThan(110_000);
  const textOf = (name: string) => new TextDecoder().decode(files.find((file) => file.name === name)?.bytes);
  const [main = ""] = files.flatMap(({ name }) => (name.startsWith("main-") ? [name] : []));
  const first = [main, ...[...textOf(main).matchAll(/from"\.\/([\w.-]+)"/g)].map(([, name = ""]) => name)];
  expect(sum(first.flatMap(sizes))).toBeLessThan(60_000);
  expect(sum(first.flatMap(sizes))).toBeGreaterThan(20_000);
  for (const size of sizes(".json")) expect(size).toBeLessThan(12_000);
});

test("all languages have the same words", async () => {
  const { files } = await buildStudio();
  const [first, ...others] = files
    .filter(({ name }) => name.endsWith(".json"))
    .map(({ bytes }) => Object.entries<string>(JSON.parse(new TextDecoder().decode(bytes))));
  const placesIn = (words: [string, string][]) => words.map(([word, text]) => [word, text.match(/\{\w+\}/g)?.sort()]);
  for (const words of others) expect(placesIn(words)).toEqual(placesIn(first!));
});

import { afterAll, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { createCanvas, loadImage } from "@napi-rs/canvas";
import { keptSubjects, wordsOf } from "../../../scripts/subjects/words.ts";
import { subjectLanguages } from "../../../src/domain/films/subject/language.ts";
import { type CardElement, parseHtml } from "../../../src/engine/html/elements.ts";
import { cardLimits } from "../../../src/engine/html/limits.ts";
import { svgOf } from "../../../src/engine/html-drawing/svg.ts";
import { subjectLibrary, subjectsFolder } from "../../../src/storage/subjects/library.ts";
import { temporaryFolder } from "../../support/media/ffmpeg.ts";

const folder = await temporaryFolder();
afterAll(() => rm(folder, { recursive: true, force: true }));

const library = subjectLibrary();
const places: Record<string, [start: number, length: number]> = await Bun.file(`${subjectsFolder}vectors.json`).json();

test("each kept subject has a vector, and each word a subject", async () => {
  expect(Object.keys(places)).toEqual([...keptSubjects]);
  for (const language of subjectLanguages) {
    const words = await library.words(language);
    const ids = new Set([...words!.phrases.values()].flatMap((found) => found?.id ?? []));
    expect([...ids].filter((id) => !places[id])).toEqual([]);
    expect(ids.size).toBeGreaterThan(500);
  }
});

test("what is not there is undefined", async () => {
  expect(await library.words("tlh")).toBeUndefined();
  expect(await library.svg("constructor")).toBeUndefined();
});

test("a vector is read from its own bytes alone", async () => {
  const vectors = await Bun.file(`${subjectsFolder}vectors.bin`).bytes();
  const [start, length] = places.candle!;
  const others = new Uint8Array(vectors.length).fill(0xff);
  others.set(vectors.subarray(start, start + length), start);
  await Bun.write(`${folder}/vectors.bin`, others);
  await Bun.write(`${folder}/vectors.json`, Bun.file(`${subjectsFolder}vectors.json`));
  const damaged = subjectLibrary(folder);
  expect(await damaged.svg("candle")).toBe((await library.svg("candle"))!);
  expect(damaged.svg("bread")).rejects.toThrow();
});

test("the words of the data are those of the lists and of CLDR", async () => {
  const stored = await library.words("de");
  const made = await wordsOf("de");
  const ids = (phrases: Iterable<readonly [string, string | undefined]>) => Object.fromEntries(phrases);
  expect(ids([...stored!.phrases].map(([key, found]) => [key, found?.id] as const))).toEqual(
    ids(Object.entries(made.phrases).map(([key, found]) => [key, found?.[0]] as const)),
  );
});

const drawingIn = (element: CardElement): CardElement | undefined =>
  element.name === "svg"
    ? element
    : element.children.flatMap((child) => (typeof child === "string" ? [] : (drawingIn(child) ?? [])))[0];

const tagsIn = (svg: string) => svg.match(/<[a-z]\w*/gi)?.map((tag) => tag.toLowerCase()) ?? [];

test("HTML layers keep all of each vector", async () => {
  for (const id of keptSubjects) {
    const svg = (await library.svg(id))!;
    const { root, count, ignored } = parseHtml(svg);
    const kept = svgOf(drawingIn(root)!);
    expect({ id, tags: tagsIn(kept), ignored }).toEqual({ id, tags: tagsIn(svg), ignored: [] });
    expect(Buffer.byteLength(svg)).toBeLessThan(cardLimits.bytes);
    expect(count).toBeLessThan(cardLimits.elements);
  }
});

test("vectors draw something, and not everywhere", async () => {
  for (const id of keptSubjects.filter((_, index) => index % 9 === 0)) {
    const svg = svgOf(drawingIn(parseHtml((await library.svg(id))!).root)!);
    const image = await loadImage(Buffer.from(svg.replace("<svg ", '<svg width="128" height="128" ')));
    const context = createCanvas(64, 64).getContext("2d");
    context.drawImage(image, 0, 0, 64, 64);
    const { data } = context.getImageData(0, 0, 64, 64);
    const opaque = data.filter((value, index) => index % 4 === 3 && value > 128).length;
    expect({ id, isDrawn: opaque > 300 && opaque < 64 * 64 }).toEqual({ id, isDrawn: true });
  }
});

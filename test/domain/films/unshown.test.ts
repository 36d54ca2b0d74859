import { expect, test } from "bun:test";
import fc from "fast-check";
import type { FilmOrder } from "../../../src/domain/films/film.ts";
import { filmWords } from "../../../src/domain/films/look/scene-words.ts";
import { nameOf } from "../../../src/domain/films/order/order.ts";
import { orderedBriefWarnings, plannedWork } from "../../../src/domain/films/order/warnings.ts";
import { withWords } from "../../../src/domain/films/steps/compose.ts";
import { filmFacts } from "../../../src/domain/films/steps/scene-titles.ts";
import { unshownParts } from "../../../src/domain/films/unshown.ts";
import type { Project } from "../../../src/domain/projects/projects.ts";
import { localLanguage } from "../../../src/providers/local/local.ts";
import { looks } from "../../support/looks.ts";
import briefs from "./briefs.json" with { type: "json" };
import others from "./other-briefs.json" with { type: "json" };

// safe because nothing else of them is read
const ports = { looks: { of: async () => looks }, models: { llm: () => localLanguage } } as unknown as Parameters<
  typeof orderedBriefWarnings
>[0];
const project = { id: "proj" } as Project;

const orderOf = (text: string, more: Partial<FilmOrder> = {}) =>
  ({
    ...{ brief: { text }, models: { llm: { provider: "local" } }, targets: ["9:16"], captions: {}, stopAt: [] },
    ...more,
  }) as unknown as FilmOrder;

/** All that is on screen, line by line, and the warnings. */
async function told(order: FilmOrder, text: string) {
  const name = nameOf(text) ?? "Film";
  // safe because rules write the scenes
  const work = withWords(
    { film: { order, steps: [] }, project, looks, assets: [] },
    plannedWork(ports, project, order, name)!,
  );
  const laidOut = work.editorState!;
  const shown = laidOut.editorData.textTrack.map(({ id }) => String(laidOut.textOverlays[id]?.text ?? ""));
  return { work, shown, warned: await orderedBriefWarnings(ports, project, order, name) };
}

const ignored = new Set(
  "auf bei bis unter sur the and for with our your that this are der die das und für mit ein eine unser les des une avec pour votre los las con una para sobre".split(
    " ",
  ),
);

/** Words of three letters or more and numbers, as a reader would look for them. */
const tokensOf = (text: string) =>
  (text.toLowerCase().match(/\p{N}[\p{N}.,:]*|[\p{L}]{3,}/gu) ?? [])
    .map((token) => token.replace(/[.,:]+$/u, ""))
    .filter((token) => !ignored.has(token));

const clausesOf = (text: string) => text.split(/[.!?:;](?=\s|$)|,(?=\s)/u).filter((clause) => clause.trim() !== "");

test.each(briefs.map(({ text, language }) => [text, language]))(
  "each clause is on screen or named as not shown: %s",
  async (text, language) => {
    for (const order of [orderOf(text), orderOf(text, { language }), orderOf(text, { seconds: 6 })]) {
      const { shown, warned } = await told(order, text);
      const seen = new Set(tokensOf(shown.join(" ")));
      for (const clause of clausesOf(text)) {
        const missing = tokensOf(clause).filter((token) => !seen.has(token));
        const isNamed = warned.some(({ message }) => missing.every((token) => message.toLowerCase().includes(token)));
        expect(missing.length === 0 || isNamed, `${clause}: ${missing} of ${shown.join(" | ")}`).toBe(true);
      }
    }
  },
);

test.each([...briefs, ...others].map(({ text, language }) => [text, language]))(
  "no two scenes in a row look alike, and none says the end of a phrase: %s",
  (text, language) => {
    const order = orderOf(text, { language });
    const work = plannedWork(ports, project, order, nameOf(text) ?? "Film")!;
    const set = filmWords(filmFacts({ order }, work), work.scenes);
    for (const [at, { layout }] of set.entries()) {
      const isRepeated = at > 0 && work.scenes[at]!.text_overlay === work.scenes[at - 1]!.text_overlay;
      if (at > 0 && !isRepeated) expect(layout).not.toBe(set[at - 1]!.layout);
      const words = (work.scenes[at]!.text_overlay ?? "").split(" ");
      if (words.length < 3) expect(words[0]).not.toMatch(/^(?:for|für|mit|with|in|pour|con)$/u);
    }
  },
);

test("a film of usual length tells a usual brief whole", async () => {
  const untold = await Promise.all(
    [...briefs, ...others].map(async ({ text, language }) => (await told(orderOf(text, { language }), text)).warned),
  );
  expect(untold.flat().map(({ message }) => message)).toEqual([]);
});

test("a struck price, the numbers of steps and a rating are shown", async () => {
  const text =
    "Foldaway, a bike. How it works: 1. Order it 2. Unfold it 3. Ride it. “Quiet.” 4.9 out of 5 — Ana, Lisbon. Now $890 instead of $1,090.";
  const { warned, shown } = await told(orderOf(text), text);
  expect(warned.map(({ message }) => message)).toEqual([]);
  expect(shown).toEqual(expect.arrayContaining(["How it works", "Order it", "Unfold it", "Ride it", "Now", "$890"]));
});

const pool = [
  "soy",
  "candles",
  "bike",
  "free",
  "until",
  "Friday",
  "£18",
  "20%",
  "Leeds",
  "12,000",
  "runners",
  "kettle",
];
const clause = fc
  .array(fc.constantFrom(...pool), { minLength: 1, maxLength: 9 })
  .map((words) => words.map((word, at) => (at > 0 ? word : `${word}`)).join(" "));
const anyBrief = fc
  .array(fc.tuple(clause, fc.constantFrom(". ", ", ", "! ", "\n", ": ", " – ", "; ")), { minLength: 1, maxLength: 30 })
  .map((clauses) => clauses.flat().join("").trim());

test("of any brief, each word is on screen or in a warning, and the same each time", async () => {
  const lengths = fc.constantFrom(3, 8, 20, 60);
  await fc.assert(
    fc.asyncProperty(anyBrief, lengths, fc.constantFrom(undefined, 1, 2, 12), async (text, seconds, scenes) => {
      const order = orderOf(text, { seconds, ...(scenes && { scenes }) });
      const { shown, warned } = await told(order, text);
      const all = [...shown, ...warned.map(({ message }) => message)].join(" ").toLowerCase();
      for (const word of pool) if (text.includes(word)) expect(all).toContain(word.toLowerCase());
      expect((await told(order, text)).warned).toEqual(warned);
    }),
    { numRuns: 15 },
  );
});

test("a brief of 20,000 characters has few warnings, which hold what is left out", async () => {
  const sentences = Array.from({ length: 700 }, (_, at) => `Part number ${at} is made of steel.`);
  const { warned } = await told(orderOf(sentences.join(" ")), sentences.join(" "));
  expect(warned.length).toBeLessThanOrEqual(50);
  expect(warned.map(({ message }) => message).join(" ")).toContain("Part number 699");
  expect(unshownParts("", [["Velo"]])).toEqual([]);
  // rows of a list do without the word for "and", which is a part of the next word
  expect(unshownParts("مكونات: دقيق وماء وملح.", [["مكونات"], ["دقيق", "ماء", "ملح"]])).toEqual([]);
});

test("a film in another language than its brief names all of it", async () => {
  const text = "Foldaway, a folding bike that fits under the desk. It folds in ten seconds.";
  const { warned } = await told(orderOf(text, { language: "de" }), text);
  expect(warned.map(({ path, code }) => `${path} ${code}`)).toEqual(Array(2).fill("brief.text brief_not_shown"));
});

test("without captions only the name and the end card are shown, and the rest is named", async () => {
  const text = "Foldaway: a bike. It folds in ten seconds. Order at foldaway.example.";
  const { warned } = await told(orderOf(text, { captions: undefined }), text);
  expect(warned.map(({ message }) => message)).toEqual([
    'Neither shown nor said in the film: "It folds in ten seconds."',
  ]);
});

import { expect, test } from "bun:test";
import fc from "fast-check";
import { subjectLanguages } from "../../../src/domain/films/subject/language.ts";
import { recolored } from "../../../src/domain/films/subject/recolor.ts";
import { findSubject } from "../../../src/domain/films/subject/subject.ts";
import { subjectLibrary } from "../../../src/storage/subjects/library.ts";
import cases from "./subject-cases.json" with { type: "json" };

const library = subjectLibrary();

const subjectOf = async (language: string, name: string, description: string) =>
  (await findSubject({ name, description, ...(language && { language }) }, library))?.id ?? null;

/** The last column is the subject, null for none, or "!" and a subject that it must not be. */
test.each(cases as [string, string, string, string | null][])(
  "%s %s: %s → %s",
  async (language, name, text, wanted) => {
    const id = await subjectOf(language, name, text);
    if (wanted?.startsWith("!")) expect(id).not.toBe(wanted.slice(1));
    else expect(id).toBe(wanted);
  },
);

test("the table has enough cases of both kinds", () => {
  const refused = cases.filter(([, , , wanted]) => wanted === null || wanted?.startsWith("!"));
  expect(refused.length).toBeGreaterThanOrEqual(40);
  expect(cases.length - refused.length).toBeGreaterThanOrEqual(120);
});

test("a subject has a whole drawing, and the words that name it", async () => {
  const subject = await findSubject({ name: "Leeds Loaf", description: "A sourdough bakery in Leeds." }, library);
  expect(subject).toMatchObject({ id: "bread", words: "Loaf" });
  expect(subject?.svg).toMatch(/^<svg [^>]*viewBox="0 0 32 32">.*<\/svg>$/s);
});

test("any text has the same answer twice, and none throws", async () => {
  const words = ["coffee", "Tasse", "パン屋", "خبز", "of", "the", "für", "de", "table", "shop", "-", ".", "🍞", "Käse"];
  const text = fc.array(fc.oneof(fc.constantFrom(...words), fc.string({ unit: "grapheme", maxLength: 8 })), {
    maxLength: 12,
  });
  const language = fc.option(fc.oneof(fc.constantFrom(...subjectLanguages), fc.string({ maxLength: 5 })));
  await fc.assert(
    fc.asyncProperty(text, text, language, async (name, description, tag) => {
      const find = () => subjectOf(tag ?? "", name.join(" "), description.join(" "));
      expect(await find()).toBe(await find());
    }),
    { numRuns: 300 },
  );
});

test("only the beginning of a long text is read", async () => {
  expect(await subjectOf("en", "Acme", "We bake bread.")).toBe("bread");
  expect(await subjectOf("en", "Acme", `${"a ".repeat(100_000)}We bake bread.`)).toBeNull();
  expect(await subjectOf("de", "Kaffee".repeat(50_000), "")).toBe(await subjectOf("de", "Kaffee".repeat(34), ""));
});

test("colors turn by at most 30°, and gray and invalid ones stay", () => {
  const svg = '<svg><path fill="#ff0000" stroke="#808080"/><stop stop-color="url(#a)"/></svg>';
  expect(recolored(svg, "#0000ff")).toMatch(/fill="#(?!ff0000)[0-9a-f]{6}" stroke="#808080"/);
  expect(recolored(svg, "#777777")).toBe(svg);
  expect(recolored(svg, "none")).toBe(svg);
  expect(recolored("<svg/>", "#ff0000")).toBe("<svg/>");
});

import { expect, test } from "bun:test";
import { styleGuideByRules } from "../../../../src/ai/local/style-guide/style-guide.ts";
import { normalizeStyleGuide } from "../../../../src/domain/ai/style-guide/style-guide.ts";
import { englishTexts } from "./english.ts";
import { germanTexts } from "./german.ts";
import { spanishTexts } from "./spanish.ts";

const languages = { English: englishTexts, German: germanTexts, Spanish: spanishTexts };
const cases = Object.entries(languages).flatMap(([language, texts]) =>
  texts.map(({ name, text, expected }) => ({ name: `${language}: ${name}`, text, expected })),
);

test.each(cases)("$name: the style guide has what the text says and nothing else", ({ text, expected }) => {
  expect(normalizeStyleGuide(styleGuideByRules(text))).toEqual(expected);
});

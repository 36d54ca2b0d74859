import { expect, test } from "bun:test";
import type { WebPage } from "../../../../src/domain/ai/style-guide/web-pages.ts";
import { describedPage } from "../../../../src/domain/films/steps/read.ts";

const empty = { title: "", siteName: "", description: "", colors: [], images: [], logos: [], text: "" };
const page: WebPage = {
  ...empty,
  product: {
    name: "Kettle",
    description: "A gooseneck kettle that holds your temperature. It holds 0.9 litres.",
    price: { amount: 129, currency: "USD" },
  },
  text: "Menu 3\nHeats in four minutes.\nHeats up in 4 minutes.\nRated 4.8 by 1,200 people.\n© 2026 Kettle Ltd.",
};
const description = "A gooseneck kettle that holds your temperature";

test("rules take what a page says of its product besides its own line, and its price", () => {
  expect(describedPage(page, { description, isByRules: true, language: undefined })).toBe(
    "A gooseneck kettle that holds your temperature. It holds 0.9 litres. Heats up in 4 minutes. Price: $129.",
  );
});

test("what a model has read gets the price alone, if it has none", () => {
  const described = (text: string, language?: string) =>
    describedPage(page, { description: text, isByRules: false, language });
  expect(described("It keeps warm.")).toBe("It keeps warm. Price: $129.");
  expect(described("It keeps warm.", "de")).toBe("It keeps warm. Preis: $129.");
  expect(described("It keeps warm, for $99.")).toBe("It keeps warm, for $99.");
  expect(describedPage(empty, { description: "", isByRules: true, language: "en" })).toBe("");
});

test.each([
  [9.5, "EUR", "de", "Preis: 9,50 €."],
  [4800, "JPY", "ja", "Price: ¥4,800."],
  [799, "SAR", "ar", ""],
])("the price %d %s in %s", (amount, currency, language, written) => {
  const priced = { ...empty, product: { name: "Cup", description: "", price: { amount, currency } } };
  expect(describedPage(priced, { description: "", isByRules: true, language })).toBe(written);
});

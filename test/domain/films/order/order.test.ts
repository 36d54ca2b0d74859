import { expect, test } from "bun:test";
import { nameOf, withoutPlaceholders } from "../../../../src/domain/films/order/order.ts";
import { priceIn } from "../../../../src/domain/language/offers.ts";

test.each([
  ["Fjord Rope makes climbing ropes in Bergen", "Fjord Rope"],
  ["Steuerfuchs macht die Steuererklärung.", "Steuerfuchs"],
  ["ことのは語学院は、会話だけの英語教室です。", "ことのは語学院"],
  ["Velo is a bike.", "Velo"],
  ["Lumen Lamp with a warm light", "Lumen Lamp with a warm light"],
  ["The city bike folds", "The city bike folds"],
  ["Zahnarztpraxis Dr. Lenz in Hamburg. Termine auch samstags.", "Zahnarztpraxis Dr. Lenz in Hamburg"],
  ["St. Anna Hospice, a place to stay", "St. Anna Hospice"],
])("the name in %s", (text, name) => {
  expect(nameOf(text)).toBe(name);
});

test("a sentence with a placeholder keeps its price and its address", () => {
  // safe because nothing else of the order is read
  const order = { brief: { text: "Velo: a bike. From $890 for {{name}} at velo.example." } } as never;
  const { brief } = withoutPlaceholders(order, undefined).order;
  expect(brief.text).toBe("Velo: a bike. From $890 velo.example.");
  expect(priceIn(brief.text ?? "")).toBe("From $890");
});

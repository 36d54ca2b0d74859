import { expect, test } from "bun:test";
import { nameOf, withoutPlaceholders } from "../../../../src/domain/films/order/order.ts";
import { priceIn } from "../../../../src/domain/language/offers.ts";

test.each([
  ["Fjord Rope makes climbing ropes in Bergen", "Fjord Rope"],
  ["Steuerfuchs macht die Steuererklärung.", "Steuerfuchs"],
  ["ことのは語学院は、会話だけの英語教室です。", "ことのは語学院"],
  ["Velo is a bike.", "Velo"],
  ["12,000 freelancers get paid on time with Tally. Free for 30 days.", "Tally"],
  ["12,000 freelancers get paid in two days. Tally chases invoices. Start at tally.example.", "Tally"],
  ["Over 500 dentists trust Brightly. Book in two taps.", "Brightly"],
  ["3,200 runners take part each year.", undefined],
  ["24 hour plumbing in Leeds", "24 hour plumbing in Leeds"],
  ["I'm Marta and I repair bikes in Bristol. Full service £65.", "Marta"],
  ["Hi, I'm Tom, a piano teacher in Leeds.", "Tom"],
  ["Ich bin Jana und backe Brot in Leipzig.", "Jana"],
  ["Ich bin Bäckerin in Leipzig.", "Ich bin Bäckerin in Leipzig"],
  ["Je suis Léa et je couds des robes à Nantes.", "Léa"],
  ["Lumen Lamp with a warm light", "Lumen Lamp with a warm light"],
  ["The city bike folds", "The city bike folds"],
  ["Zahnarztpraxis Dr. Lenz in Hamburg. Termine auch samstags.", "Zahnarztpraxis Dr. Lenz in Hamburg"],
  ["St. Anna Hospice, a place to stay", "St. Anna Hospice"],
])("the name in %s", (text, name) => {
  expect(nameOf(text)).toBe(name as string);
});

test("a sentence with a placeholder keeps its price and its address", () => {
  // safe because nothing else of the order is read
  const order = { brief: { text: "Velo: a bike. From $890 for {{name}} at velo.example." } } as never;
  const { brief } = withoutPlaceholders(order, undefined).order;
  expect(brief.text).toBe("Velo: a bike. From $890 velo.example.");
  expect(priceIn(brief.text ?? "")).toBe("From $890");
});

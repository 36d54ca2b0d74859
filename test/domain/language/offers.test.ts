import { expect, test } from "bun:test";
import { addressIn, priceIn, shortOffer, withoutAddress } from "../../../src/domain/language/offers.ts";

test.each([
  ["Foldaway. Folds in 10 s. From $890 at foldaway.example.", "From $890"],
  ["Klara. Belege fotografieren. Ab 9 € im Monat.", "Ab 9 € im Monat"],
  ["霧島ツアー。一人48,000円から。", "一人48,000円から"],
  ["オーツの朝。砂糖は使っていません。1本298円。", "1本298円"],
  ["Order for only $12.50.", "$12.50"],
  ["Buy it at volt.example: $20.", "$20"],
  ["الكيس ٢٥٠ غرام بسعر 7 دنانير.", "بسعر 7 دنانير"],
  ["Free for 30 days, then €12 a month. ledgerly.example.", "€12 a month"],
  ["Rasa. A cargo bike. 2,490 € until Sunday. Book a ride.", "2,490 € until Sunday"],
  ["Rasa. Ein Lastenrad. 2.490 € bis Sonntag.", "2.490 € bis Sonntag"],
  ["2 € of each bag go to the farms.", undefined],
  ["It saves $20 a month.", undefined],
  ["Weighs 9 kilos.", undefined],
])("the price of %p is %p", (text, price) => {
  expect(priceIn(text)).toBe(price as never);
});

test("a sentence is an offer only if it says little more than a price", () => {
  expect(shortOffer("From $890 at foldaway.example.")).toBe("From $890");
  expect(shortOffer("From $890, with two years of repairs in every city that has a shop.")).toBeUndefined();
  expect(shortOffer("Rides like a full-size bike.")).toBeUndefined();
});

test("a call does not begin with what its address stood with", () => {
  expect(withoutAddress("oats.example でご注文ください。")).toBe("ご注文ください");
  expect(withoutAddress("ご予約は tours.example まで。")).toBe("ご予約");
  expect(withoutAddress("Order at volt.example.")).toBe("Order");
});

test("an address is a host, not an abbreviation or a mail address", () => {
  expect(addressIn("Order at www.volt.example/now.")).toBe("volt.example");
  expect(addressIn("Write to ann@volt.example.")).toBeUndefined();
});

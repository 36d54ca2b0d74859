import { expect, test } from "bun:test";
import type { BatchReport, Work } from "../../studio/src/api.ts";
import { familiesOf, firstChoice, languagesIn, orderOf, slotsOf } from "../../studio/src/tables/mapping.ts";

const action = (id: string) => ({ id, start: 0, end: 1 });
// safe because the mapping reads nothing else
const work = {
  id: "work_1",
  editorState: {
    editorData: { textTrack: ["a", "b", "c", "dot", "d", "e"].map(action) },
    textOverlays: {
      a: { text: "Sunrise", fontSize: 8 },
      b: { text: "{{price}} €", fontSize: 8 },
      c: { text: "Sunrise", fontSize: 4 },
      dot: { text: "⬤", fontSize: 4 },
      // lines of one sentence
      d: { text: "Only", fontSize: 8, group: "g", maxHeight: 10, centerY: -5 },
      e: { text: "today", fontSize: 8, group: "g", maxHeight: 10, centerY: 5 },
    },
  },
} as unknown as Work;
const rest = { name: "", templateId: "", keyColumn: "", targets: [], stopsAtPreview: false };

test("a column of its name fills a placeholder, and a text shows a column that is chosen for it", () => {
  const columns = ["sku", "title_de", "title_en", "Preis"];
  const languages = languagesIn(columns);
  expect(languages).toEqual(["de", "en"]);
  // a model translates also what is there in one language, which prices are not
  expect(languagesIn(["name_en", "price_old"], ["en", "de"])).toEqual(["en"]);
  const families = familiesOf(columns, languages);
  expect([...families.keys()]).toEqual(["sku", "title", "Preis"]);
  const slots = slotsOf(["price"], work);
  expect(slots.map(({ label, kind }) => [label, kind])).toEqual([
    ["price", "placeholder"],
    ["Sunrise", "text"],
    ["Only today", "text"],
  ]);
  expect(firstChoice(slots, ["sku", "Price"])).toEqual({ "{{price}}": "Price" });
  expect(firstChoice(slotsOf([], work), ["sku", "Price"])).toEqual({ Sunrise: "Price" });

  // safe because the order takes the columns from it
  const report = { columns } as unknown as BatchReport;
  const chosen = { "{{price}}": "Preis", Sunrise: "title", "Only today": "sku" };
  expect(orderOf({ work, slots, chosen, report, ...rest, languages, keyColumn: "sku" })).toEqual({
    base: {
      workId: "work_1",
      export: {
        texts: [
          { text: "{{title}}", fontSize: 8, position: 0, end: 1 },
          { text: "{{price}} €", fontSize: 8, position: 0, end: 1 },
          { text: "{{title}}", fontSize: 4, position: 0, end: 1 },
          { text: "⬤", fontSize: 4, position: 0, end: 1 },
          { text: "{{sku}}", fontSize: 8, group: "g", maxHeight: 20, centerY: 0, position: 0, end: 1 },
        ] as never,
      },
    },
    mapping: { Preis: "price" },
    keyColumn: "sku",
    languages: ["de", "en"],
  });
});

test("columns of a family keep their languages, and one that is not read gives way", () => {
  const report = { columns: ["name_de", "name_en", "price", "cost"] } as unknown as BatchReport;
  const slots = slotsOf(["title", "price"], work);
  const chosen = { "{{title}}": "name", "{{price}}": "cost", Sunrise: "name" };
  const order = orderOf({ work, slots, chosen, report, ...rest, languages: ["de", "en"], keyColumn: "cost" });
  expect(order.mapping).toEqual({ name_de: "title_de", name_en: "title_en", cost: "price", price: "_price" });
  expect([order.keyColumn, order.base.export?.texts?.[0]?.text]).toEqual(["price", "{{title}}"]);
});

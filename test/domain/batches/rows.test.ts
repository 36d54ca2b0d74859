import { expect, test } from "bun:test";
import { readRows } from "../../../src/domain/batches/rows.ts";

const tableOf = (text: string) => {
  const [columns = [], ...rows] = text.split("\n").map((line) => line.split(","));
  return rows.map((cells) => Object.fromEntries(columns.map((column, at) => [column, cells[at] ?? ""])));
};

const keptOf = async (text: string, keyColumn?: string) =>
  (await readRows(tableOf(text), { keyColumn })).rows.map(({ row, key, joined }) => [row, key, ...(joined ?? [])]);

test.each([
  ["Shopify", "Handle,Title,Price,Image Src\nmug,Mug,24,a\nmug,,24,b\nmug,,,c\nkettle,Kettle,30,d"],
  ["Squarespace", "Product ID,Type,Title,Price\n1,PHYSICAL,Mug,24\n,,,24\n,,,26\n2,PHYSICAL,Kettle,30"],
  ["Magento", "sku,type,name,price\nmug,configurable,Mug,24\n,,,\n,simple,,24\nkettle,simple,Kettle,30"],
])("variants in an export of %s go on with their product", async (_, text) => {
  expect(await keptOf(text)).toEqual([
    [1, "1", 2, 3],
    [4, "4"],
  ]);
});

test("rows that go on with a product need no key of their own; others do", async () => {
  const text = "Title,Handle,Price\nMug,mug,24\n,mug,26\nKettle,kettle,30";
  expect(await keptOf(text, "Handle")).toEqual([
    [1, "mug", 2],
    [3, "kettle"],
  ]);
  const twice = keptOf("Handle,Title\nmug,Mug\nmug,Mug blue", "Handle");
  await expect(twice).rejects.toMatchObject({ facts: { issues: [{ path: "rows.1.Handle" }] } });
});

test("a row without a name that is no part of the one above is a row", async () => {
  for (const text of ["name,price\nMug,24\n,30", "sku,name\n1,Mug\n2,", "id,text\n1,Mug\n1,", "sku,name\n1,\n1,"]) {
    expect(await keptOf(text)).toEqual([
      [1, "1"],
      [2, "2"],
    ]);
  }
});

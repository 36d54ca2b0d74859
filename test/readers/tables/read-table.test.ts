import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { maxCellCharacters, maxColumns, maxRows, type TableType } from "../../../src/domain/batches/rows.ts";
import { isDomainError } from "../../../src/errors.ts";
import { readTable } from "../../../src/readers/tables/read-table.ts";

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tables-"));
});

afterAll(() => rm(folder, { recursive: true }));

const limits = { maxRows, maxColumns, maxCellCharacters };

/** The values that were written, or the code of the error. */
async function read(content: string | Uint8Array, type?: TableType) {
  const path = join(folder, crypto.randomUUID());
  const output = `${path}-rows`;
  await Bun.write(path, content);
  try {
    await readTable({ path, output, type, ...limits });
  } catch (error) {
    return isDomainError(error) ? [error.code, error.message] : error;
  }
  const text = await Bun.file(output).text();
  return text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

const utf16 = (text: string, bigEndian = false) => {
  const bytes = Buffer.from(text, "utf16le");
  return bigEndian ? bytes.swap16() : bytes;
};

const expected = [
  ["name", "price"],
  ['a "cup"\nof tea', "19,50"],
  ["=SUM(A1)", ""],
];

test.each([
  ["commas", 'name,price\r\n"a ""cup""\nof tea","19,50"\r\n=SUM(A1),\r\n'],
  ["a mark and semicolons", '\ufeffname;price\n"a ""cup""\nof tea";19,50\n=SUM(A1)\n;\n\n'],
  ["UTF-16 with a mark", utf16('\ufeffname\tprice\r\n"a ""cup""\nof tea"\t19,50\r\n=SUM(A1)\t\r\n')],
  ["UTF-16 without one", utf16('name;price\r\n"a ""cup""\nof tea";19,50\r\n=SUM(A1);\r\n', true)],
  ["lines that end differently", 'name;price\n"a ""cup""\nof tea";19,50\r\n=SUM(A1);\r'],
  ["empty lines above the header", '\r\n;\r\nname;price\r\n"a ""cup""\nof tea";19,50\n=SUM(A1);\r\n'],
  ["a named sign, and empty columns", 'sep=|\r\nname|price||\r\n"a ""cup""\nof tea"|19,50||\r\n=SUM(A1)|||\r\n'],
])("CSV with %s", async (_, content) => {
  expect(await read(content)).toEqual(expected);
});

test("cells of tabs may hold quotes as they are, or be quoted", async () => {
  const plain = 'id\ttitle\n1\t27" Monitor, curved\n2\t"Puig" Plush\n3\t"open\n';
  expect(await read(plain)).toEqual([
    ["id", "title"],
    ["1", '27" Monitor, curved'],
    ["2", '"Puig" Plush'],
    ["3", '"open'],
  ]);
  expect(await read('id\ttitle\n1\t"a\nb ""c"""\n')).toEqual([
    ["id", "title"],
    ["1", 'a\nb "c"'],
  ]);
});

test.each([
  [
    "a template of a catalog",
    '# Required | An id: 100,"# Required | A title, of at most 150",# A price\nid,title,price\nA,Mug,1\n',
  ],
  [
    "lines of a marketplace",
    "#INFO,Version=0.0.2,Template=draft\n#INFO Action is required,,\nid,title,price\nA,Mug,1\n",
  ],
  ["a note without the signs that separate", "# Exported on Monday\nid;title;price\nA;Mug;1\n"],
])("%s above the header is none", async (_, content) => {
  expect(await read(content)).toEqual([
    ["id", "title", "price"],
    ["A", "Mug", "1"],
  ]);
});

test("a header may begin with a number sign", async () => {
  expect(await read("#,name\n1,Mug\n")).toEqual([
    ["#", "name"],
    ["1", "Mug"],
  ]);
  expect(await read("#id,name\n1,Mug\n")).toEqual([
    ["#id", "name"],
    ["1", "Mug"],
  ]);
});

test("JSON, and JSON by lines", async () => {
  const rows = [
    { name: "Tee", price: 3 },
    { name: "杯", price: null },
  ];
  expect(await read(JSON.stringify(rows))).toEqual(rows);
  expect(await read(rows.map((row) => JSON.stringify(row)).join("\n"))).toEqual(rows);
});

test("what is too long or no text is written as far as it takes to say so", async () => {
  const written = (await read(
    JSON.stringify([
      { ["k".repeat(20_000)]: "a".repeat(20_000), b: `${"a".repeat(10_000)}👍tail`, c: { deep: [1, 2] }, d: [3], e: 1 },
      "x".repeat(20_000),
    ]),
  )) as [Record<string, unknown>, unknown];
  const [[key, cell], b, ...others] = Object.entries(written[0]) as [[string, string], [string, string]];
  expect([key.length, cell.length, b[1]]).toEqual([10_001, 10_001, `${"a".repeat(10_000)}👍`]);
  expect<unknown>(others).toEqual([
    ["c", {}],
    ["d", {}],
    ["e", 1],
  ]);
  expect(written[1]).toBeNull();
  expect(await read(`name\n${"é".repeat(20_000)}`)).toEqual([["name"], ["é".repeat(10_001)]]);
});

test.each([
  ["PK\x03\x04workbook", "unsupported_media_type", "save it as CSV"],
  [new Uint8Array([0xff, 0x41, 0x2c, 0x80]), "unsupported_media_type", "UTF-8"],
  ["a,a\n1,2", "validation_error", "two columns"],
  ["a,\n1,2", "validation_error", "Row 1 of the table has 2 cells"],
  ['a\n"open', "validation_error", "does not end"],
  ['a\nx"y', "validation_error", "must be doubled"],
  [Array.from({ length: 300 }, (_, at) => `c${at}`).join(","), "validation_error", "at most 200 columns"],
  [`a\n${"1\n".repeat(5001)}`, "validation_error", "at most 5000 rows"],
  [`[${"{},".repeat(5000)}{}]`, "validation_error", "at most 5000 rows"],
  [
    JSON.stringify(Array.from({ length: 201 }, (_, at) => ({ [`c${at}`]: at }))),
    "validation_error",
    "at most 200 columns",
  ],
  ["", "validation_error", "header"],
  ["[1", "validation_error", "valid JSON"],
  ["[".repeat(5_000_000), "validation_error", "an object of texts and numbers for each row"],
  ['{"a":'.repeat(2_000_000), "validation_error", "an object of texts and numbers for each row"],
  ['[{"a":"\\\\u0000"},{"a":"\\u0000"}]', "validation_error", "Row 2 of the table must not hold NUL"],
  ['{"\\ud83d":1}', "validation_error", "lone surrogates"],
])("no table: %#", async (content, code, words) => {
  const [found, message] = (await read(content)) as [string, string];
  expect([found, message]).toEqual([code, expect.stringContaining(words)]);
});

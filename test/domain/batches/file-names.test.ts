import { expect, test } from "bun:test";
import { fileNameOf, requireFileNames } from "../../../src/domain/batches/file-names.ts";

const nameOf = (name: string) =>
  fileNameOf({ fileName: "{{name}}" }, { row: 1, key: "1", cells: { name } }, { language: "", target: "" });

test.each([
  ["CON", "_CON.mp4"],
  ["aux .txt", "_aux .txt.mp4"],
  ["conin$", "_conin$.mp4"],
  ["Conrad", "Conrad.mp4"],
  ["../a:b\n", "___a_b_.mp4"],
  ["دراجة/١", "دراجة_١.mp4"],
  ["film.MP4", "film.mp4"],
  [" . ", "___.mp4"],
  ["", "_.mp4"],
])("%j is a name on every system", (name, expected) => {
  expect(nameOf(name)).toBe(expected);
});

test("a name ends in the extension of the format, once", () => {
  const row = { row: 1, key: "1", cells: { name: "film.WebM" } };
  const order = { fileName: "{{name}}", format: "webm" } as const;
  expect(fileNameOf(order, row, { language: "", target: "" })).toBe("film.webm");
});

test("a long name is cut between characters", () => {
  const name = nameOf("👩‍👩‍👧‍👦".repeat(75));
  expect(Buffer.byteLength(name)).toBeLessThanOrEqual(200);
  expect(name).toBe(`${"👩‍👩‍👧‍👦".repeat(7)}.mp4`);
});

test("a name of long values is that of their beginnings, with or without composed characters", () => {
  for (const letter of ["a", "ế".normalize("NFD"), "각".normalize("NFD"), " ", ":"]) {
    const long = letter.repeat(10_000);
    expect(nameOf(long)).toBe(nameOf(long.slice(0, letter.length * 300)));
  }
  const order = { fileName: "{{n}}".repeat(390) };
  const names = fileNameOf(order, { row: 1, key: "1", cells: { n: "" } }, { language: "", target: "" });
  expect(names).toBe("_.mp4");
});

test("films of one name are refused, whichever of a thousand rows they are of", async () => {
  const rows = Array.from({ length: 1000 }, (_, at) => ({ row: at + 1, key: `${at}`, cells: { n: `${at % 999}` } }));
  const order = { languages: ["de", "fr"], targets: ["9:16", "1:1"] } as const;
  await requireFileNames({ ...order, fileName: "{{key}}_{{language}}_{{target}}" }, rows);
  const sameNames = requireFileNames({ ...order, fileName: "{{n}}_{{language}}_{{target}}" }, rows);
  await expect(sameNames).rejects.toThrow("Rows 1 and 1000 would both have the name");
});

import { expect, test } from "bun:test";
import { fileNameOf } from "../../../src/domain/batches/file-names.ts";

const nameOf = (name: string) =>
  fileNameOf("{{name}}", { row: 1, key: "1", cells: { name } }, { language: "", target: "" });

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

test("a long name is cut between characters", () => {
  const name = nameOf("👩‍👩‍👧‍👦".repeat(75));
  expect(Buffer.byteLength(name)).toBeLessThanOrEqual(200);
  expect(name).toBe(`${"👩‍👩‍👧‍👦".repeat(7)}.mp4`);
});

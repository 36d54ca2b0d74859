import { expect, test } from "bun:test";
import fc from "fast-check";
import { displayFilename } from "../../../src/domain/files/file-store.ts";
import { textUpTo } from "../../support/any-text.ts";

test.each([
  ["clip.mp4", "clip.mp4"],
  ["/etc/../clip.mp4", "clip.mp4"],
  ["C:\\videos\\clip.mp4", "clip.mp4"],
  ["  a \t b\r\n.mp4 ", "a b .mp4"],
  ["a\0b.mp4", "ab.mp4"],
  ["exe\u202e4pm.scr", "exe4pm.scr"],
  ["..", ""],
  ["folder/", ""],
  ["", ""],
])("shows %j as %j", (given, shown) => {
  expect(displayFilename(given)).toBe(shown);
});

test("a long name keeps its extension and ends with a whole character", () => {
  const shown = displayFilename(`${"🎬".repeat(300)}.mp4`);

  expect(shown).toEndWith("🎬.mp4");
  expect(shown.length).toBeLessThanOrEqual(200);
  expect(shown.isWellFormed()).toBe(true);
});

test("any name is displayed as one short line without folders", () => {
  fc.assert(
    fc.property(textUpTo(400), (given) => {
      const shown = displayFilename(given);
      expect(shown).not.toMatch(/[\p{Cc}/\\]/u);
      expect(shown.isWellFormed()).toBe(true);
      expect(shown.length).toBeLessThanOrEqual(200);
      expect(shown).toBe(shown.trim());
    }),
  );
});

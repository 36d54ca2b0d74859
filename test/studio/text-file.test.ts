import { expect, test } from "bun:test";
import { decodeText } from "../../studio/src/work/text-file.ts";

const sentence = "Müsli für Zürich – 12 €";

test.each([
  ["UTF-8", Buffer.from(sentence)],
  ["UTF-8 with a mark", Buffer.from(`\ufeff${sentence}`)],
  ["UTF-16", Buffer.from(`\ufeff${sentence}`, "utf16le")],
  ["UTF-16, the other way round", Buffer.from(`\ufeff${sentence}`, "utf16le").swap16()],
  ["Windows-1252", Buffer.from("M\xfcsli f\xfcr Z\xfcrich \x96 12 \x80", "latin1")],
])("reads a text file in %s", (_, bytes) => {
  expect(decodeText(new Uint8Array(bytes))).toBe(sentence);
});

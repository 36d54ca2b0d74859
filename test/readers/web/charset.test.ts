import { expect, test } from "bun:test";
import { decodePage } from "../../../src/readers/web/parse.ts";
import { png } from "../../support/uploads.ts";

const utf8 = (text: string) => new Uint8Array(Buffer.from(text));
const latin = (text: string) => new Uint8Array(Buffer.from(text, "latin1"));

test.each([
  ["windows-1251", latin('<meta charset="windows-1251"><p>\xd7\xe0\xe9'), "Чай"],
  [
    "shift_jis",
    latin("<meta http-equiv=content-type content='text/html; charset=Shift_JIS'><p>\x93\xfa\x96\x7b"),
    "日本",
  ],
  [
    "the encoding of its XML declaration",
    latin('<?xml version="1.0" encoding="iso-8859-2"?><html><p>\xb3\xf3d\xbc'),
    "łódź",
  ],
  ["UTF-8 with a byte order mark", utf8("\ufeff<p>日本"), "日本"],
  ["UTF-16, little-endian", new Uint8Array(Buffer.from("\ufeff<p>日本", "utf16le")), "日本"],
  ["UTF-16, big-endian", new Uint8Array(Buffer.from("\ufeff<p>日本", "utf16le").swap16()), "日本"],
  ["UTF-8 without a declaration", utf8("<p>日本"), "日本"],
  ["windows-1252 without a declaration", latin("<p>caf\xe9"), "café"],
  ["UTF-8 that declares an unknown encoding", utf8("<meta charset=constructor><p>日本"), "日本"],
  ["UTF-8 that declares UTF-16", utf8("<meta charset=utf-16><p>日本"), "日本"],
])("decodes a page in %s", async (_, content, text) => {
  expect(await decodePage(content)).toEndWith(`<p>${text}`);
});

test.each([
  ["an image", new Uint8Array(await png().arrayBuffer())],
  ["a PDF", utf8("%PDF-1.7\n1 0 obj\n")],
  ["a ZIP", latin("PK\x03\x04rest of it")],
  ["markup with control bytes", new Uint8Array([0x3c, 0x70, 0x3e, 0, 1, 2, 3])],
])("%s is not text", async (_, content) => {
  expect(await decodePage(content)).toBeUndefined();
});

/**
 * The text of a file, whichever program has saved it: in UTF-8, in UTF-16, or else as older programs of Windows save
 * it. A browser's own `text()` would put � in the place of each letter that is not UTF-8.
 */
export function decodeText(bytes: Uint8Array): string {
  for (const encoding of ["utf-8", markedUtf16(bytes)]) {
    try {
      if (encoding) return new TextDecoder(encoding, { fatal: true }).decode(bytes);
    } catch {
      // the next one is tried
    }
  }
  return new TextDecoder("windows-1252").decode(bytes);
}

/** By its mark. Without one, its Latin letters would be UTF-8, with zeros between them. */
function markedUtf16([first, second]: Uint8Array): string | undefined {
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return first === 0xfe && second === 0xff ? "utf-16be" : undefined;
}

/**
 * Decodes a text file of any program: UTF-8, UTF-16, or else the encoding of older Windows programs. A browser's own
 * `text()` would show � for each letter that is not UTF-8.
 */
export function decodeText(bytes: Uint8Array): string {
  for (const encoding of ["utf-8", markedUtf16(bytes)]) {
    try {
      if (encoding) return new TextDecoder(encoding, { fatal: true }).decode(bytes);
    } catch {
      // try the next encoding
    }
  }
  return new TextDecoder("windows-1252").decode(bytes);
}

/** Detected by its byte order mark. Without one, its Latin letters would be valid UTF-8, with zeros between them. */
function markedUtf16([first, second]: Uint8Array): string | undefined {
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return first === 0xfe && second === 0xff ? "utf-16be" : undefined;
}

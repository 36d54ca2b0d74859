/** Splits a stream of UTF-8 bytes at line feeds; the rest is a line, too. Throws once one is longer than `maxBytes`. */
export async function* linesOf(bytes: AsyncIterable<Uint8Array>, maxBytes = Number.POSITIVE_INFINITY) {
  let parts: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of bytes) {
    for (let start = 0; start < chunk.length; ) {
      const end = chunk.indexOf(lineFeed, start);
      const part = chunk.subarray(start, end < 0 ? chunk.length : end);
      parts.push(part);
      length += part.length;
      if (length > maxBytes) throw new Error(`A line has more than ${maxBytes} bytes.`);
      if (end < 0) break;
      yield Buffer.concat(parts).toString("utf8");
      parts = [];
      length = 0;
      start = end + 1;
    }
  }
  if (length > 0) yield Buffer.concat(parts).toString("utf8");
}

const lineFeed = 0x0a;

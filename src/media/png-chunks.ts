const signatureBytes = 8;

/** Those that hold the picture. What ffmpeg says of its colors beside them, browsers would take for another gamma. */
const kept = new Set(["IHDR", "PLTE", "tRNS", "IDAT", "IEND"]);

/** The same picture as every screen's own colors. */
export function plainPng(png: Uint8Array): Uint8Array {
  const view = new DataView(png.buffer, png.byteOffset, png.byteLength);
  const parts = [png.subarray(0, signatureBytes)];
  for (let start = signatureBytes; start < png.length; ) {
    // its length, its name, its bytes and their checksum
    const end = start + 12 + view.getUint32(start);
    if (kept.has(String.fromCharCode(...png.subarray(start + 4, start + 8)))) parts.push(png.subarray(start, end));
    start = end;
  }
  return Buffer.concat(parts);
}

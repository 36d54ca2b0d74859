const zip = 0x504b0304;

/** True for the beginning of a JSON object or of a zip. */
export function mayBeLottie(bytes: Uint8Array): boolean {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(64, bytes.length));
  return (start.length >= 4 && start.readUInt32BE(0) === zip) || /^\uFEFF?\s*\{/.test(start.toString());
}
